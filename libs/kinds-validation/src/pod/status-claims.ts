import { field, isDNS1123Label, isDNS1123Subdomain, type KubeObject } from '@apichain/meta';
import { isSet, list, type Plain, record, records, text } from '@apichain/kinds';
import { isNativeResource, quantityOf } from '../common/resources.ts';
import { checkEach, invalidEach, type Out, requiredName, sortedEntries } from '../common/rules.ts';
import { firstByName } from '../common/repeats.ts';

function resourceClaimErrors(out: Out, pod: KubeObject, status: Plain): void {
  const claims = new Set(records(record(pod.spec).resourceClaims).map((claim) => text(claim.name)));
  const seen = new Set<string>();
  checkEach(out, records(status.resourceClaimStatuses), (out, entry, i) => {
    const path = `status.resourceClaimStatuses[${i}]`;
    const name = text(entry.name);
    if (!claims.has(name)) {
      out.push(field.invalid(`${path}.name`, name, 'must match the name of an entry in `spec.resourceClaims`'));
    }
    if (seen.has(name)) out.push(field.duplicate(`${path}.name`, name));
    seen.add(name);
    if (isSet(entry.resourceClaimName)) {
      const claim = text(entry.resourceClaimName);
      invalidEach(out, `${path}.resourceClaimName`, claim, isDNS1123Subdomain(claim));
    }
  });
}

function mappingErrors(out: Out, pod: KubeObject, mappings: unknown, path: string): void {
  const spec = record(pod.spec);
  const containers = firstByName([...records(spec.initContainers), ...records(spec.containers)]);
  const seen = new Set<string>();
  checkEach(out, records(mappings), (out, mapping, i) => {
    const at = `${path}[${i}]`;
    const { containerName, resourceName, requestName } = mapping;
    const container = containers.get(containerName);
    if (container === undefined) {
      const detail = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
      out.push(field.invalid(`${at}.containerName`, text(containerName), detail));
    } else if (!isSet(record(record(container.resources).requests)[text(resourceName)])) {
      const detail =
        'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';
      out.push(field.invalid(`${at}.resourceName`, text(resourceName), detail));
    }
    const request = text(requestName);
    invalidEach(out, 'status.extendedResourceClaimStatus.requestName', request, isDNS1123Label(request));
    const identity = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(identity)) {
      for (const name of ['containerName', 'resourceName', 'requestName']) {
        out.push(field.duplicate(`${at}.${name}`, text(mapping[name])));
      }
    }
    seen.add(identity);
  });
}

function extendedErrors(out: Out, pod: KubeObject, status: Plain): void {
  if (!isSet(status.extendedResourceClaimStatus)) return;
  const path = 'status.extendedResourceClaimStatus';
  const { requestMappings, resourceClaimName } = record(status.extendedResourceClaimStatus);
  if (list(requestMappings).length === 0) {
    out.push(field.required(`${path}.requestMappings`, 'at least one request mapping is required'));
  }
  mappingErrors(out, pod, requestMappings, `${path}.requestMappings`);
  requiredName(out, `${path}.resourceClaimName`, resourceClaimName, isDNS1123Subdomain);
}

function allocatableErrors(out: Out, pod: KubeObject, status: Plain): void {
  const known = new Set(
    [...records(record(pod.spec).resourceClaims), ...records(status.resourceClaimStatuses)].map((entry) =>
      text(entry.resourceClaimName),
    ),
  );
  checkEach(out, records(status.nodeAllocatableResourceClaimStatuses), (out, entry, i) => {
    const path = `status.nodeAllocatableResourceClaimStatuses[${i}]`;
    const name = text(entry.resourceClaimName);
    if (name === '') out.push(field.required(`${path}.resourceClaimName`, 'must not be empty'));
    else if (!known.has(name)) {
      out.push(field.invalid(`${path}.resourceClaimName`, name, 'no mapping found in pod reference'));
    }
    if (list(entry.containers).length === 0) out.push(field.required(`${path}.containers`, 'must not be empty'));
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

/** What became of the claims of a pod. */
export function claimStatusErrors(out: Out, pod: KubeObject, status: Plain): void {
  resourceClaimErrors(out, pod, status);
  extendedErrors(out, pod, status);
  allocatableErrors(out, pod, status);
}
