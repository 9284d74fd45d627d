import type {
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplateSpec,
} from '@apichain/api/resource/v1';
import type { KindStore } from '../kind-store.ts';
import type { Strategy } from '@apichain/apiserver';
import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { storedObject } from '../stored-object.ts';
import type { StrategyHook } from '../strategies/server-hooks.ts';

const label = 'resource.kubernetes.io/admin-access';
const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;

/** The labels of a namespace. */
export type NamespaceLabels = (namespace: string) => Promise<Readonly<Record<string, string>>>;

/** As they are stored now; none when there is no such namespace. */
export const storedLabels =
  (namespaces: () => KindStore<'namespaces'>): NamespaceLabels =>
  async (namespace) =>
    (await storedObject(namespaces(), namespace))?.metadata.labels ?? {};

interface ClaimOrTemplate extends KubeObject {
  spec?: ResourceClaimSpec & ResourceClaimTemplateSpec;
}

/** The requests of a claim, or of the claims that a template makes. */
const requestsOf = ({ spec }: ClaimOrTemplate) => (spec?.devices ?? spec?.spec?.devices)?.requests ?? [];
const resultsOf = (claim: ResourceClaim) => claim.status?.allocation?.devices?.results ?? [];

/** Of those that want access the first is told, by the path of the older versions. */
async function errorOf(path: string, wanting: number, object: KubeObject, labels: NamespaceLabels) {
  if (wanting < 0 || (await labels(object.metadata.namespace ?? ''))[label] === 'true') return [];
  return [field.forbidden(`${path}[${wanting}].adminAccess`, detail)];
}

/** What is wrong with a new claim, or a new template of claims, in its namespace. */
export function adminAccessErrors(object: ClaimOrTemplate, labels: NamespaceLabels): Promise<FieldError[]> {
  const wanting = requestsOf(object).findIndex((request) => request.exactly?.adminAccess === true);
  return errorOf('spec.devices.requests', wanting, object, labels);
}

/** The same of devices that a claim is given; what it has been given already stays. */
export function adminAccessStatusErrors(
  claim: ResourceClaim,
  old: ResourceClaim,
  labels: NamespaceLabels,
): Promise<FieldError[]> {
  const wants = ({ adminAccess }: DeviceRequestAllocationResult) => adminAccess === true;
  const wanting = resultsOf(old).some(wants) ? -1 : resultsOf(claim).findIndex(wants);
  return errorOf('status.allocation.devices.results', wanting, claim, labels);
}

/** The checks of `withAdminAccess` before those of a strategy. */
export const adminAccessStrategy = (strategy: Strategy, labels: NamespaceLabels): Strategy => ({
  ...strategy,
  validate: async (ctx, object) => [
    ...(await adminAccessErrors(object, labels)),
    ...((await strategy.validate?.(ctx, object)) ?? []),
  ],
});

/**
 * Claims on devices that others use, and templates of such claims, take a namespace that is labelled for it.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#admin-access
 */
export const withAdminAccess: StrategyHook = (strategy, { store }) =>
  adminAccessStrategy(
    strategy,
    storedLabels(() => store('namespaces')),
  );
