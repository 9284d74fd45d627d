import { forbidden, type Strategy } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import type { UserInfo } from '@apichain/authn';
import type { AuthorizationAttributes, Authorizer } from '@apichain/authz';
import { field, type FieldError, isDNS1123Subdomain, semanticEqual } from '@apichain/meta';
import type { AllocatedDeviceStatus, ResourceClaim } from '@apichain/api/resource/v1';
import type { StrategyHook } from '../strategies/server-hooks.ts';
import { adminAccessStatusErrors, storedLabels, type NamespaceLabels } from './admin-access.ts';

const nodeNameKey = 'authentication.kubernetes.io/node-name';
const accountPrefix = 'system:serviceaccount:';

/**
 * The reason when the authorizer does not allow the attributes, with the text of a 403; undefined = allowed. An authorizer may fail and still allow.
 */
async function refusal(authorizer: Authorizer, attributes: AuthorizationAttributes): Promise<string | undefined> {
  const { decision, reason, evaluationError } = await authorizer.authorize(attributes);
  if (decision === 'Allow') return undefined;
  const why = [evaluationError, reason].filter((part) => part !== undefined && part !== '').join(': ');
  return forbidden(attributes, why).message;
}

function asked({ user, requestInfo }: RequestContext, changed: Partial<AuthorizationAttributes>) {
  const { verb, isResourceRequest, path, apiGroup, apiVersion, resource, namespace, name } = requestInfo;
  const request = { user, verb, isResourceRequest, path, apiGroup, apiVersion, resource, namespace, name };
  return { ...request, subresource: '', fieldSelector: '', labelSelector: '', ...changed };
}

/** Allocating devices, or reserving them for a consumer, needs permission to "bind" all claims. */
async function bindingErrors(authorizer: Authorizer, ctx: RequestContext, claim: ResourceClaim, old: ResourceClaim) {
  const same = (name: 'allocation' | 'reservedFor') => semanticEqual(claim.status?.[name], old.status?.[name]);
  if (same('allocation') && same('reservedFor')) return [];
  const refused = await refusal(authorizer, asked(ctx, { subresource: 'binding', namespace: '', name: '' }));
  if (refused === undefined) return [];
  const { verb } = ctx.requestInfo;
  const what = 'changing status.allocation or status.reservedFor requires resource="resourceclaims/binding"';
  return [field.forbidden('status.allocation', `${what}, verb="${verb}" permission: ${refused}`)];
}

const deviceKey = (device: AllocatedDeviceStatus): string =>
  JSON.stringify([device.driver, device.pool, device.device, device.shareID ?? '']);

/** The drivers whose entries in status.devices were added, changed or removed, in order. */
export function modifiedDrivers(claim: ResourceClaim, old: ResourceClaim): string[] {
  const before = new Map((old.status?.devices ?? []).map((device) => [deviceKey(device), device]));
  const drivers = new Set<string>();
  for (const device of claim.status?.devices ?? []) {
    const key = deviceKey(device);
    if (!semanticEqual(before.get(key), device)) drivers.add(device.driver ?? '');
    before.delete(key);
  }
  for (const device of before.values()) drivers.add(device.driver ?? '');
  return [...drivers].toSorted();
}

/** The only node on which devices were allocated; '' = there may be several. */
function allocatedNode(claim: ResourceClaim): string {
  const [term, ...otherTerms] = claim.status?.allocation?.nodeSelector?.nodeSelectorTerms ?? [];
  const [by, ...others] = term?.matchFields ?? [];
  if (by === undefined || otherTerms.length + others.length + (term?.matchExpressions ?? []).length > 0) return '';
  const [name, ...names] = by.values ?? [];
  return by.key === 'metadata.name' && by.operator === 'In' && names.length === 0 ? (name ?? '') : '';
}

/** Whether the user is a service account with a token for a pod on the node. */
function runsOn({ name, extra }: UserInfo, node: string): boolean {
  if (node === '' || !name.startsWith(accountPrefix) || name.split(':').length !== 4) return false;
  const nodes = extra[nodeNameKey] ?? [];
  return nodes.length === 1 && nodes[0] === node && isDNS1123Subdomain(node).length === 0;
}

/** Reporting the devices of a driver needs permission for that driver: on any node, or on the node where the caller runs. */
async function deviceErrors(authorizer: Authorizer, ctx: RequestContext, claim: ResourceClaim, old: ResourceClaim) {
  const errors: FieldError[] = [];
  const { verb } = ctx.requestInfo;
  const nodes = runsOn(ctx.user, allocatedNode(claim)) ? ['associated-node', 'arbitrary-node'] : ['arbitrary-node'];
  const verbs = nodes.map((kind) => `${kind}:${verb}`);
  for (const name of modifiedDrivers(claim, old)) {
    const refused: string[] = [];
    for (const nodeVerb of verbs) {
      const refusedHere = await refusal(authorizer, asked(ctx, { verb: nodeVerb, subresource: 'driver', name }));
      if (refusedHere === undefined) break;
      refused.push(refusedHere);
    }
    if (refused.length < verbs.length) continue;
    const what = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]"`;
    errors.push(field.forbidden('status.devices', `${what} permission: ${refused[0] ?? ''}`));
  }
  return errors;
}

/** Runs the checks of `withStatusAccess` before those of the status strategy. */
export const claimStatusStrategy = (
  status: Strategy,
  { authorizer, labels }: { readonly authorizer: Authorizer; readonly labels: NamespaceLabels },
): Strategy => ({
  ...status,
  validateUpdate: async (ctx, claim, old) => [
    ...(await adminAccessStatusErrors(claim, old, labels)),
    ...(await bindingErrors(authorizer, ctx, claim, old)),
    ...(await deviceErrors(authorizer, ctx, claim, old)),
    ...((await status.validateUpdate?.(ctx, claim, old)) ?? []),
  ],
});

/**
 * Writes to the status of a ResourceClaim need additional permissions for its parts, besides that for `resourceclaims/status`.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#granular-status-authorization
 */
export const withStatusAccess: StrategyHook = (status, { options: { authorizer }, store }) =>
  claimStatusStrategy(status, { authorizer, labels: storedLabels(() => store('namespaces')) });
