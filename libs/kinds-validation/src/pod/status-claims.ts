import type { Container, ContainerExtendedResourceRequest, Pod, PodStatus } from '@apichain/api/core/v1';
import { field, firstByName, isDNS1123Label, isDNS1123Subdomain } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { isNativeResource, quantityOf } from '../common/resources.ts';
import { checkEach, invalidEach, type Out, requiredName, sortedEntries } from '../common/rules.ts';

function resourceClaimErrors(out: Out, pod: Pod, status: PodStatus): void {
  const claims = new Set(pod.spec?.resourceClaims?.map((claim) => claim.name ?? ''));
  const seen = new Set<string>();
  checkEach(out, status.resourceClaimStatuses ?? [], (out, entry, i) => {
    const path = `status.resourceClaimStatuses[${i}]`;
    const name = entry.name ?? '';
    if (!claims.has(name)) {
      out.push(field.invalid(`${path}.name`, name, 'must match the name of an entry in `spec.resourceClaims`'));
    }
    if (seen.has(name)) out.push(field.duplicate(`${path}.name`, name));
    seen.add(name);
    if (isSet(entry.resourceClaimName)) {
      invalidEach(
        out,
        `${path}.resourceClaimName`,
        entry.resourceClaimName,
        isDNS1123Subdomain(entry.resourceClaimName),
      );
    }
  });
}

function mappingErrors(out: Out, pod: Pod, mappings: readonly ContainerExtendedResourceRequest[], path: string): void {
  const containers = firstByName<Container>([...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]);
  const seen = new Set<string>();
  checkEach(out, mappings, (out, mapping, i) => {
    const at = `${path}[${i}]`;
    const { containerName, resourceName, requestName } = mapping;
    const container = containers.get(containerName);
    if (container === undefined) {
      const detail = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
      out.push(field.invalid(`${at}.containerName`, containerName ?? '', detail));
    } else if (!Object.hasOwn(container.resources?.requests ?? {}, resourceName ?? '')) {
      const detail =
        'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';
      out.push(field.invalid(`${at}.resourceName`, resourceName ?? '', detail));
    }
    const request = requestName ?? '';
    invalidEach(out, 'status.extendedResourceClaimStatus.requestName', request, isDNS1123Label(request));
    const identity = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(identity)) {
      for (const name of ['containerName', 'resourceName', 'requestName'] as const) {
        out.push(field.duplicate(`${at}.${name}`, mapping[name] ?? ''));
      }
    }
    seen.add(identity);
  });
}

function extendedErrors(out: Out, pod: Pod, status: PodStatus): void {
  if (!isSet(status.extendedResourceClaimStatus)) return;
  const path = 'status.extendedResourceClaimStatus';
  const { resourceClaimName } = status.extendedResourceClaimStatus;
  const requestMappings = status.extendedResourceClaimStatus.requestMappings ?? [];
  if (requestMappings.length === 0) {
    out.push(field.required(`${path}.requestMappings`, 'at least one request mapping is required'));
  }
  mappingErrors(out, pod, requestMappings, `${path}.requestMappings`);
  requiredName(out, `${path}.resourceClaimName`, resourceClaimName, isDNS1123Subdomain);
}

function allocatableErrors(out: Out, pod: Pod, status: PodStatus): void {
  const known = new Set(
    [...(pod.spec?.resourceClaims ?? []), ...(status.resourceClaimStatuses ?? [])].map(
      (entry) => entry.resourceClaimName ?? '',
    ),
  );
  checkEach(out, status.nodeAllocatableResourceClaimStatuses ?? [], (out, entry, i) => {
    const path = `status.nodeAllocatableResourceClaimStatuses[${i}]`;
    const name = entry.resourceClaimName ?? '';
    if (name === '') out.push(field.required(`${path}.resourceClaimName`, 'must not be empty'));
    else if (!known.has(name)) {
      out.push(field.invalid(`${path}.resourceClaimName`, name, 'no mapping found in pod reference'));
    }
    if ((entry.containers ?? []).length === 0) out.push(field.required(`${path}.containers`, 'must not be empty'));
    const resources = sortedEntries(entry.resources);
    if (resources.length === 0) out.push(field.required(`${path}.resources`, 'must not be empty'));
    checkEach(out, resources, (out, [resource, value]) => {
      const at = `${path}.resources[${resource}]`;
      if (!isNativeResource(resource)) {
        out.push(field.invalid(at, resource, 'must be a node allocatable resource name'));
      }
      if (quantityOf(value).sign < 0) out.push(field.invalid(at, quantityOf(value).toString(), 'must be non-negative'));
    });
  });
}

/** Checks the status of a pod's resource claims. */
export function claimStatusErrors(out: Out, pod: Pod, status: PodStatus): void {
  resourceClaimErrors(out, pod, status);
  extendedErrors(out, pod, status);
  allocatableErrors(out, pod, status);
}
