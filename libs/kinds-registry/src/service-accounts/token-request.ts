import { readStored } from '@apichain/storage';
import type { BoundObjectReference, TokenRequest, TokenRequestSpec } from '@apichain/api/authentication/v1';
import type { StoredKinds } from '@apichain/api/stored-kinds';
import type { KindStore } from '../kind-store.ts';
import { randomUUID } from 'node:crypto';
import type { WriteOptions, ResourceStorage } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import type { KubernetesClaims, ServiceAccountTokenIssuer } from '@apichain/authn';
import {
  currentTime,
  field,
  isStatusError,
  newBadRequest,
  newConflict,
  newInvalid,
  parseGroupVersion,
  type GroupResource,
  type GroupVersion,
  type KubeObject,
  newNotFound,
  newNotImplemented,
  isSet,
  integer,
} from '@apichain/meta';
import { formatTime } from '@apichain/go-text';
import { tokenRequestErrors } from '@apichain/kinds-validation';
import type { ServiceAccount } from '@apichain/api/core/v1';
import { CreateOnlyStorage } from '@apichain/kinds';
import type { HookContext, StoredVersion } from '../strategies/server-hooks.ts';

const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
/** The lifetime that kubelets request, and the extended lifetime that such tokens get for clients that do not reload tokens. Seconds. */
const kubeletRequest = 3607;
const extendedLifetime = 365 * 24 * 3600;

/** The stores of the objects that tokens are bound to. */
interface TokenRequestStores {
  readonly accounts: Readable<'serviceaccounts'>;
  /** Whether the server has such objects. Default: it has. */
  readonly serves?: (resource: GroupResource) => boolean;
  readonly store: <Resource extends 'pods' | 'secrets' | 'nodes'>(resource: Resource) => Readable<Resource>;
}

type Readable<Resource extends keyof StoredKinds> = Pick<KindStore<Resource>, 'get'>;

type Bound = Pick<KubernetesClaims, 'pod' | 'secret' | 'node'>;

/**
 * The handler of `serviceaccounts/token`: a signed token for the account, optionally bound to a pod, a secret or a node. Throws StatusErrors.
 * Source: pkg/registry/core/serviceaccount/storage/token.go.
 */
export async function requestToken(
  stores: TokenRequestStores,
  issuer: ServiceAccountTokenIssuer | undefined,
  ctx: RequestContext,
  name: string,
  request: TokenRequest,
  options: WriteOptions,
): Promise<TokenRequest> {
  const { namespace } = ctx.requestInfo;
  checkIdentity(request, name, namespace);
  const account = await live(stores.accounts, ctx, name);
  const uid = account.metadata.uid ?? '';
  checkUid(request, name, uid);
  request.metadata.uid = uid;
  const spec = (request.spec ??= {});
  if ((spec.audiences ?? []).length === 0 && issuer !== undefined) spec.audiences = [...issuer.options.apiAudiences];
  const now = currentTime();
  request.metadata.name = name;
  request.metadata.namespace = namespace;
  request.metadata.creationTimestamp = formatTime(new Date(now));
  const errors = tokenRequestErrors(request);
  if (errors.length > 0) throw newInvalid(kind, '', errors);
  await options.validateCreate?.(request);
  if (issuer === undefined) throw newNotImplemented('this server has no key to sign service account tokens with');
  const bound = await boundObjects(stores, ctx, name, spec);
  const { lifetime, asked } = lifetimeOf(issuer, ctx, spec);
  const issuedAt = Math.floor(now / 1000);
  const extended = lifetime === asked ? {} : { warnafter: issuedAt + asked };
  const id = randomUUID();
  ctx.audit?.annotate('authentication.kubernetes.io/issued-credential-id', `JTI=${id}`);
  const token = await issuer.issue({
    id,
    account: { namespace, serviceaccount: { name, uid }, ...bound, ...extended },
    audiences: spec.audiences ?? [],
    issuedAt,
    lifetime,
  });
  request.status = { token, expirationTimestamp: formatTime(new Date(now + asked * 1000)) };
  return request;
}

async function live<Resource extends keyof StoredKinds>(
  store: Readable<Resource>,
  ctx: RequestContext,
  name: string,
): Promise<StoredKinds[Resource]> {
  return await readStored(await store.get(ctx, name, { resourceVersion: '' }));
}

function checkIdentity({ metadata }: KubeObject, name: string, namespace: string): void {
  const given = metadata.name ?? '';
  if (given !== '' && given !== name) {
    const detail = 'must match the service account name if specified';
    throw newInvalid(kind, name, [field.invalid('metadata.name', given, detail)]);
  }
  const place = metadata.namespace ?? '';
  if (place !== '' && place !== namespace) {
    const detail = 'must match the service account namespace if specified';
    throw newInvalid(kind, name, [field.invalid('metadata.namespace', place, detail)]);
  }
}

function checkUid({ metadata }: KubeObject, name: string, uid: string): void {
  const given = metadata.uid ?? '';
  if (given === '' || given === uid) return;
  const cause = `the UID in the token request (${given}) does not match the UID of the service account (${uid})`;
  throw newConflict({ group: kind.group, resource: kind.kind }, name, cause);
}

/** An invalid apiVersion yields an empty group and version. */
const groupVersionOf = (apiVersion: string): GroupVersion =>
  apiVersion.split('/').length > 2 ? { group: '', version: '' } : parseGroupVersion(apiVersion);

async function boundObjects(
  stores: TokenRequestStores,
  ctx: RequestContext,
  name: string,
  spec: TokenRequestSpec,
): Promise<Bound> {
  if (!isSet(spec.boundObjectRef)) return {};
  const ref = spec.boundObjectRef;
  const { group, version } = groupVersionOf(ref.apiVersion ?? '');
  const target = ref.name ?? '';
  if (group === '' && ref.kind === 'Pod') {
    const pod = await live(storeOf(stores, 'pods', target), ctx, target);
    if ((pod.spec?.serviceAccountName ?? '') !== name) {
      throw newBadRequest(
        `cannot bind token for serviceaccount ${JSON.stringify(name)} to pod running with different serviceaccount name.`,
      );
    }
    checkRecord(ref, pod);
    const node = await nodeOf(stores, ctx, pod.spec?.nodeName ?? '');
    return { pod: { name: target, uid: pod.metadata.uid ?? '' }, ...node };
  }
  if (group === '' && ref.kind === 'Secret') {
    const secret = await live(stores.store('secrets'), ctx, target);
    checkRecord(ref, secret);
    return { secret: { name: target, uid: secret.metadata.uid ?? '' } };
  }
  if (group === '' && ref.kind === 'Node') {
    const node = await live(storeOf(stores, 'nodes', target), clusterWide(ctx), target);
    checkRecord(ref, node);
    return { node: { name: target, uid: node.metadata.uid ?? '' } };
  }
  throw newBadRequest(`cannot bind token to object of type ${group}/${version}, Kind=${ref.kind ?? ''}`);
}

/** Throws the StatusError that `name` is not found, if the server has no such objects. */
function storeOf<Resource extends 'pods' | 'nodes'>(
  { store, serves = () => true }: TokenRequestStores,
  resource: Resource,
  name: string,
): Readable<Resource> {
  const target = { group: '', resource };
  if (!serves(target)) throw newNotFound(target, name);
  return store(resource);
}

function checkRecord(ref: BoundObjectReference, object: KubeObject): void {
  const given = ref.uid ?? '';
  if (given === '' || given === object.metadata.uid) return;
  const { group } = groupVersionOf(ref.apiVersion ?? '');
  const cause =
    `the UID in the bound object reference (${given}) does not match the UID in record. ` +
    'The object might have been deleted and then recreated';
  throw newConflict({ group, resource: ref.kind ?? '' }, ref.name ?? '', cause);
}

/** For a deleted node, only the name is included. */
async function nodeOf(stores: TokenRequestStores, ctx: RequestContext, name: string): Promise<Pick<Bound, 'node'>> {
  if (name === '') return {};
  try {
    const node = await live(stores.store('nodes'), clusterWide(ctx), name);
    return { node: { name, uid: node.metadata.uid ?? '' } };
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return { node: { name } };
    throw error;
  }
}

const clusterWide = (ctx: RequestContext): RequestContext => ({
  ...ctx,
  requestInfo: { ...ctx.requestInfo, namespace: '' },
});

/** The token's lifetime, and the lifetime reported to the client, in seconds. */
function lifetimeOf(
  { options }: ServiceAccountTokenIssuer,
  ctx: RequestContext,
  spec: TokenRequestSpec,
): { lifetime: number; asked: number } {
  const { maxExpirationSeconds, extendExpiration, apiAudiences } = options;
  const wanted = integer(spec.expirationSeconds);
  if (maxExpirationSeconds > 0 && wanted > maxExpirationSeconds) {
    ctx.warn(`requested expiration of ${wanted} seconds shortened to ${maxExpirationSeconds} seconds`);
    spec.expirationSeconds = maxExpirationSeconds;
  }
  const asked = integer(spec.expirationSeconds);
  const forApi = (spec.audiences ?? []).every((audience) => apiAudiences.includes(audience));
  const toPod = spec.boundObjectRef?.kind === 'Pod';
  const extended = extendExpiration && asked === kubeletRequest && toPod && forApi;
  return { asked, lifetime: extended ? extendedLifetime : asked };
}

/** `serviceaccounts/token`: answers a TokenRequest; nothing is stored. */
export function tokenRequests(
  { resource, store: accounts }: StoredVersion<ServiceAccount>,
  { options: { tokenIssuer, serves }, store }: HookContext,
): ResourceStorage[] {
  return [
    new CreateOnlyStorage<TokenRequest>({
      path: 'serviceaccounts/token',
      info: { ...resource.info, kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } },
      keepsSystemFields: true,
      trackFields: true,
      create: (ctx, name, request, options) =>
        requestToken({ accounts, store, serves }, tokenIssuer, ctx, name, request, options),
    }),
  ];
}
