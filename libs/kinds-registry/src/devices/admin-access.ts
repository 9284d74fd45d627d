import type {
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplateSpec,
} from '@apichain/api/resource/v1';
import { storedObject, type KindStore } from '../kind-store.ts';
import type { Strategy } from '@apichain/apiserver';
import { field, type FieldError, type KubeObject } from '@apichain/meta';
import type { StrategyHook } from '../strategies/server-hooks.ts';

const label = 'resource.kubernetes.io/admin-access';
const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;

/** Reads the labels of a namespace. */
export type NamespaceLabels = (namespace: string) => Promise<Readonly<Record<string, string>>>;

/** The stored labels; empty when there is no such namespace. */
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

/** The error for the first request that wants admin access, with the path of the older versions. */
async function errorOf(path: string, wanting: number, object: KubeObject, labels: NamespaceLabels) {
  if (wanting < 0 || (await labels(object.metadata.namespace ?? ''))[label] === 'true') return [];
  return [field.forbidden(`${path}[${wanting}].adminAccess`, detail)];
}

/** The errors of a new claim, or of a new template of claims, in its namespace. */
export function adminAccessErrors(object: ClaimOrTemplate, labels: NamespaceLabels): Promise<FieldError[]> {
  const wanting = requestsOf(object).findIndex((request) => request.exactly?.adminAccess === true);
  return errorOf('spec.devices.requests', wanting, object, labels);
}

/** The same for devices that a claim is allocated; if the stored allocation already has admin access, nothing is checked. */
export function adminAccessStatusErrors(
  claim: ResourceClaim,
  old: ResourceClaim,
  labels: NamespaceLabels,
): Promise<FieldError[]> {
  const wants = ({ adminAccess }: DeviceRequestAllocationResult) => adminAccess === true;
  const wanting = resultsOf(old).some(wants) ? -1 : resultsOf(claim).findIndex(wants);
  return errorOf('status.allocation.devices.results', wanting, claim, labels);
}

/** Runs the checks of `withAdminAccess` before those of `strategy`. */
export const adminAccessStrategy = (strategy: Strategy, labels: NamespaceLabels): Strategy => ({
  ...strategy,
  validate: async (ctx, object) => [
    ...(await adminAccessErrors(object, labels)),
    ...((await strategy.validate?.(ctx, object)) ?? []),
  ],
});

/**
 * Claims with admin access to devices that others use, and templates of such claims, are allowed only in namespaces with the label for it.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#admin-access
 */
export const withAdminAccess: StrategyHook = (strategy, { store }) =>
  adminAccessStrategy(
    strategy,
    storedLabels(() => store('namespaces')),
  );
