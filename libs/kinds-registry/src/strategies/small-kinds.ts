import type { Lease } from '@apichain/api/coordination/v1';
import type { ResourceQuota, ServiceAccount, Endpoints, LimitRange, Secret } from '@apichain/api/core/v1';
import type { EndpointSlice } from '@apichain/api/discovery/v1';
import type { NetworkPolicy, Ingress, NetworkPolicyPeer } from '@apichain/api/networking/v1';
import type { RuntimeClass } from '@apichain/api/node/v1';
import type { PriorityClass } from '@apichain/api/scheduling/v1';
import type { CSIDriver, CSIStorageCapacity, StorageClass } from '@apichain/api/storage/v1';
import { systemPriorityClasses } from '@apichain/component-helpers';
import { compareQuantityText } from '@apichain/kinds';
import { newForbidden, newUid, isSet, assign, semanticEqual, type KubeObject } from '@apichain/meta';
import { tokenRequests } from '../service-accounts/token-request.ts';
import type { KindBehaviour, SubresourceBehaviour } from './behaviour.ts';
import { cidrWarnings, ipWarnings } from './ip-warnings.ts';
import { nodeLabelSelectorWarnings, nodeLabelWarning } from './node-label-warnings.ts';
import type { StrategyHook } from './server-hooks.ts';
import { ingressStatusWarnings } from './service.ts';
import { tlsWarnings } from './tls-warnings.ts';
import { statusOnly } from './workloads.ts';

/** Status from the request; spec and descriptive metadata from the stored object. */
export const statusAndNoMetadata: SubresourceBehaviour = {
  fromOld: ['spec'],
  metadata: 'reset',
  resetFields: ['spec', 'metadata'],
};
/** Status from the request; spec and all metadata from the stored object. */
export const statusAlone: SubresourceBehaviour = {
  fromOld: ['spec'],
  metadata: 'old',
  resetFields: ['spec', 'metadata'],
};

const enforceMountable = 'kubernetes.io/enforce-mountable-secrets';

/** Keeps only the names of secret references. */
function reduceSecrets(account: ServiceAccount): void {
  if (!isSet(account.secrets)) return;
  account.secrets = (account.secrets ?? []).map((secret) => (isSet(secret.name) ? { name: secret.name } : {}));
}

export const serviceAccountBehaviour: KindBehaviour<ServiceAccount> = {
  name: 'subdomain',
  status: 'keep',
  returnDeletedObject: true,
  prepareForCreate: reduceSecrets,
  prepareForUpdate: reduceSecrets,
  server: { storages: tokenRequests },
  warnings: (account, old) =>
    account.metadata.annotations?.[enforceMountable] !== undefined &&
    old?.metadata.annotations?.[enforceMountable] === undefined
      ? [
          `metadata.annotations[${enforceMountable}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ]
      : [],
};

export const secretBehaviour: KindBehaviour<Secret> = {
  name: 'subdomain',
  status: 'keep',
  prepareForUpdate: (secret, old) => {
    if ((secret.type ?? '') === '') assign(secret, 'type', old.type);
  },
  warnings: tlsWarnings,
};

export const limitRangeBehaviour: KindBehaviour<LimitRange> = {
  name: 'subdomain',
  status: 'keep',
  prepareForCreate: (limitRange) => {
    if ((limitRange.metadata.name ?? '') === '') limitRange.metadata.name = newUid();
  },
};

function quotaWarnings(quota: ResourceQuota, old: ResourceQuota | undefined): string[] {
  if (old !== undefined) return [];
  const hard = quota.spec?.hard ?? {};
  return ['cpu', 'ephemeral-storage', 'memory', 'storage'].flatMap((name) => {
    const requestName = hard[`requests.${name}`] !== undefined ? `requests.${name}` : name;
    const request = hard[requestName];
    const limit = hard[`limits.${name}`];
    if (request === undefined || limit === undefined || compareQuantityText(request, limit) <= 0) return [];
    return [`ResourceQuota ${requestName} (${request}) should be less than limits.${name} (${limit})`];
  });
}

export const resourceQuotaBehaviour: KindBehaviour<ResourceQuota> = {
  name: 'subdomain',
  status: 'reset',
  returnDeletedObject: true,
  warnings: quotaWarnings,
  subresources: { status: statusOnly },
};

const endpointsManaged = (object: KubeObject, label: string, managers: readonly string[]): boolean =>
  managers.includes(object.metadata.labels?.[label] ?? '');

export const endpointsBehaviour: KindBehaviour<Endpoints> = {
  name: 'subdomain',
  status: 'keep',
  warnings: (endpoints) =>
    endpointsManaged(endpoints, 'endpoints.kubernetes.io/managed-by', ['endpoint-controller'])
      ? []
      : (endpoints.subsets ?? []).flatMap((subset, i) =>
          (['addresses', 'notReadyAddresses'] as const).flatMap((kind) =>
            (subset[kind] ?? []).flatMap((address, j) =>
              ipWarnings(`subsets[${i}].${kind}[${j}].ip`, address.ip ?? ''),
            ),
          ),
        ),
};

const sliceManagers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

function dropTopology(slice: EndpointSlice): void {
  for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
}

/** Keeps the node that only the old topology field named as the node of the endpoint. */
function backfillNodeNames(slice: EndpointSlice, old: EndpointSlice): void {
  const known = new Set((old.endpoints ?? []).map((endpoint) => endpoint.nodeName ?? ''));
  for (const endpoint of slice.endpoints ?? []) {
    const node = endpoint.deprecatedTopology?.['kubernetes.io/hostname'] ?? '';
    if ((endpoint.nodeName ?? '') === '' && node !== '' && known.has(node)) endpoint.nodeName = node;
  }
}

export const endpointSliceBehaviour: KindBehaviour<EndpointSlice> = {
  name: 'subdomain',
  status: 'keep',
  generation: ['*', 'labels'],
  gatedIsChange: true,
  prepareForCreate: dropTopology,
  prepareForUpdate: (slice, old) => {
    if (semanticEqual(slice.endpoints, old.endpoints)) return;
    backfillNodeNames(slice, old);
    dropTopology(slice);
  },
  warnings: (slice, old) => [
    ...(slice.addressType === 'FQDN' && old === undefined ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...(endpointsManaged(slice, 'endpointslice.kubernetes.io/managed-by', sliceManagers)
      ? []
      : (slice.endpoints ?? []).flatMap((endpoint, i) =>
          (endpoint.addresses ?? []).flatMap((ip, j) => ipWarnings(`endpoints[${i}].addresses[${j}]`, ip)),
        )),
  ],
};

export const ingressBehaviour: KindBehaviour<Ingress> = {
  name: 'subdomain',
  status: 'reset',
  initialStatus: () => ({ loadBalancer: {} }),
  generation: ['spec'],
  warnings: (ingress, old) =>
    old === undefined &&
    ingress.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined &&
    !isSet(ingress.spec?.ingressClassName)
      ? [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  subresources: { status: { ...statusOnly, warnings: ingressStatusWarnings } },
};

function peerWarnings(peers: readonly NetworkPolicyPeer[] | undefined, path: string): string[] {
  return (peers ?? []).flatMap(({ ipBlock: block }, i) =>
    isSet(block)
      ? [
          ...cidrWarnings(`${path}[${i}].ipBlock.cidr`, block.cidr ?? ''),
          ...(block.except ?? []).flatMap((cidr, k) => cidrWarnings(`${path}[${i}].ipBlock.except[${k}]`, cidr)),
        ]
      : [],
  );
}

export const networkPolicyBehaviour: KindBehaviour<NetworkPolicy> = {
  name: 'subdomain',
  status: 'keep',
  generation: ['spec'],
  emptyIsChange: true,
  warnings: ({ spec }) => [
    ...(spec?.ingress ?? []).flatMap(({ from }, i) => peerWarnings(from, `spec.ingress[${i}].from`)),
    ...(spec?.egress ?? []).flatMap(({ to }, i) => peerWarnings(to, `spec.egress[${i}].to`)),
  ],
};

export const priorityClassBehaviour: KindBehaviour<PriorityClass> = {
  name: 'subdomain',
  status: 'keep',
  generation: [],
  hooks: {
    validateDelete: ({ requestInfo }, priorityClass) => {
      const name = priorityClass.metadata.name ?? '';
      // Only deletes of single objects are checked.
      const isOfSystem = systemPriorityClasses.some((systemClass) => systemClass.name === name);
      if (!isOfSystem || requestInfo.verb === 'deletecollection') return;
      const resource = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };
      throw newForbidden(resource, name, 'this is a system priority class and cannot be deleted');
    },
  },
};

export const leaseBehaviour: KindBehaviour<Lease> = {
  name: 'subdomain',
  status: 'keep',
  gated: ['strategy', 'preferredHolder'].map((name) => ({
    gate: 'CoordinatedLeaderElection',
    paths: [`spec.${name}`],
  })),
};

export const runtimeClassBehaviour: KindBehaviour<RuntimeClass> = {
  name: 'subdomain',
  status: 'keep',
  warnings: (runtimeClass) =>
    Object.keys(runtimeClass.scheduling?.nodeSelector ?? {})
      .toSorted()
      .flatMap((key) => {
        const message = nodeLabelWarning(key);
        return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`];
      }),
};

export const storageClassBehaviour: KindBehaviour<StorageClass> = {
  name: 'subdomain',
  status: 'keep',
  returnDeletedObject: true,
  warnings: (storageClass) =>
    (storageClass.allowedTopologies ?? []).flatMap((topology, i) =>
      (topology.matchLabelExpressions ?? []).flatMap((expression, j) => {
        const message = nodeLabelWarning(expression.key ?? '');
        return message === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${message}`];
      }),
    ),
};

export const storageCapacityBehaviour: KindBehaviour<CSIStorageCapacity> = {
  name: 'subdomain',
  status: 'keep',
  warnings: (capacity) => nodeLabelSelectorWarnings(capacity.nodeTopology ?? {}, 'nodeTopology'),
};

const tokensInAttributes =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

export const csiDriverBehaviour: KindBehaviour<CSIDriver> = {
  name: 'subdomain',
  status: 'keep',
  returnDeletedObject: true,
  gated: [{ gate: 'VolumeLimitScaling', paths: ['spec.preventPodSchedulingIfMissing'] }],
  prepareForUpdate: (driver, old) => {
    // Unlike other kinds, a new driver has no generation; changes are counted from zero.
    if (!semanticEqual(driver.spec, old.spec)) driver.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  warnings: (driver, old) => {
    const spec = driver.spec ?? {};
    const requests = spec.tokenRequests ?? [];
    const changed = old === undefined || !semanticEqual(requests, old.spec?.tokenRequests);
    return changed && requests.length > 0 && !isSet(spec.serviceAccountTokenInSecrets) ? [tokensInAttributes] : [];
  },
};

const staticSuffix = '.static.k8s.io';

/** Warns about names that are reserved for manifests of admission configuration. */
export const staticNameWarnings = (object: KubeObject): string[] =>
  (object.metadata.name ?? '').endsWith(staticSuffix)
    ? [
        `metadata.name: names ending with "${staticSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
      ]
    : [];

const hour = 3600;

/** Events expire after `--event-ttl`. */
const withEventTtl: StrategyHook = (strategy, { options }) => ({
  ...strategy,
  ttlSeconds: () => options.eventTtlSeconds ?? hour,
});

/** Events of both groups; they share their stored objects. */
export const eventBehaviour: KindBehaviour = {
  name: 'any',
  status: 'keep',
  hooks: { defaultGarbageCollectionPolicy: () => 'Unsupported' },
  server: { strategy: withEventTtl },
};
