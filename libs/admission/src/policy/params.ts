import type { ParamKind, ParamRef } from '@apichain/api/admissionregistration/v1';
import type { RestClient } from '@apichain/client';
import { goQuote } from '@apichain/go-text';
import {
  isStatusError,
  labelSelectorFromObject,
  parseGroupVersion,
  type GroupResource,
  type KubeObject,
  isSet,
  record,
  records,
  text,
} from '@apichain/meta';
import type { ObjectLookup } from '../object-lookup.ts';
import type { KindResolver } from '../plugins/owner-references-permission-enforcement.ts';

/** A kind that may hold parameters, and how its objects are read. */
export interface ParamResource {
  readonly namespaced: boolean;
  get(namespace: string, name: string): Promise<KubeObject | undefined>;
  list(namespace: string): Promise<readonly KubeObject[]>;
}
/** Undefined = there is no such kind. */
export type ParamFinder = (apiVersion: string, kind: string) => Promise<ParamResource | undefined>;

export interface ParamSources {
  /** The resource of a built-in kind; these are read where they are kept. */
  readonly builtin: (
    apiVersion: string,
    kind: string,
  ) => { readonly resource: GroupResource; readonly namespaced: boolean } | undefined;
  readonly lookup: ObjectLookup;
  /** Of this server itself and what is behind it, for custom kinds; undefined before the start. */
  readonly client: () => RestClient | undefined;
}

/** As the informers of kube-apiserver keep built-in kinds. */
function withoutManagedFields({ managedFields: _managed, ...rest }: KubeObject['metadata']): KubeObject['metadata'] {
  return rest;
}

export function paramFinder({ builtin, lookup, client }: ParamSources): ParamFinder {
  return async (apiVersion, kind) => {
    const known = builtin(apiVersion, kind);
    if (known === undefined) return customParams(client(), apiVersion, kind);
    const { resource, namespaced } = known;
    const typed = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: withoutManagedFields(object.metadata),
      apiVersion,
      kind,
    });
    return {
      namespaced,
      async get(namespace, name) {
        const found = (await lookup.get(resource, namespace, name)) ?? (await lookup.live(resource, namespace, name));
        return found === undefined ? undefined : typed(found);
      },
      list: async (namespace) => (await lookup.list(resource, namespace)).map(typed),
    };
  };
}

/** The resource of a custom kind in the discovery of this server and what is behind it. */
async function customResource(client: RestClient | undefined, apiVersion: string, kind: string) {
  const { group, version } = parseGroupVersion(apiVersion);
  const document = group === '' ? undefined : await orNotFound(client?.request('GET', `/apis/${group}/${version}`));
  const found = records(record(document).resources).find(
    (candidate) => candidate.kind === kind && !text(candidate.name).includes('/'),
  );
  if (found === undefined) return undefined;
  return { resource: { group, version, resource: text(found.name) }, namespaced: found.namespaced === true };
}

/** Which resource has objects of a kind, built-in or custom. */
export function resourceFinder({ builtin, client }: Pick<ParamSources, 'builtin' | 'client'>): KindResolver {
  return (apiVersion, kind) => {
    const { version } = parseGroupVersion(apiVersion);
    const known = builtin(apiVersion, kind);
    if (known === undefined) return customResource(client(), apiVersion, kind);
    return Promise.resolve({ resource: { ...known.resource, version }, namespaced: known.namespaced });
  };
}

async function customParams(
  client: RestClient | undefined,
  apiVersion: string,
  kind: string,
): Promise<ParamResource | undefined> {
  const found = await customResource(client, apiVersion, kind);
  if (client === undefined || found === undefined) return undefined;
  const reference = (namespace: string) => ({
    ...found.resource,
    ...(namespace === '' ? {} : { namespace }),
  });
  return {
    namespaced: found.namespaced,
    get: (namespace, name) => orNotFound(client.get(reference(namespace), name)),
    list: async (namespace) => (await client.list(reference(namespace))).items,
  };
}

async function orNotFound<T>(answer: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isStatusError(error, 'NotFound') || (isStatusError(error) && error.code === 404)) return undefined;
    throw error;
  }
}

/** Where the parameters of a policy are; undefined = it has none. Throws Error when nobody knows the kind: no binding is looked at then. */
export async function paramResource(
  paramKind: ParamKind | undefined,
  find: ParamFinder,
): Promise<ParamResource | undefined> {
  if (!isSet(paramKind)) return undefined;
  const { apiVersion = '', kind = '' } = paramKind;
  const resource = await find(apiVersion, kind);
  if (resource !== undefined) return resource;
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  throw new Error(`failed to find resource referenced by paramKind: '${groupVersion}, Kind=${kind}'`);
}

/**
 * The objects with which a policy is evaluated for one binding: `undefined` stands for evaluation without parameters, an empty list for none
 * at all. Throws Error with the reason for the client. After CollectParams of k8s.io/apiserver/pkg/admission/plugin/policy/generic.
 */
export async function collectParams(
  resource: ParamResource | undefined,
  paramRef: ParamRef | undefined,
  requestNamespace: string,
): Promise<readonly (KubeObject | undefined)[]> {
  if (resource === undefined || !isSet(paramRef)) return [undefined];
  const namespace = paramNamespace(resource, paramRef.namespace ?? '', requestNamespace);
  const params = await selected(resource, paramRef, namespace);
  if (params.length === 0 && paramRef.parameterNotFoundAction === 'Deny')
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  return params;
}

function paramNamespace({ namespaced }: ParamResource, given: string, requestNamespace: string): string {
  if (!namespaced) {
    if (given !== '') throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
    return '';
  }
  if (given !== '') return given;
  if (requestNamespace === '')
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  return requestNamespace;
}

async function selected(
  resource: ParamResource,
  paramRef: ParamRef,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const name = paramRef.name ?? '';
  if (name !== '') {
    const param = await resource.get(namespace, name);
    return param === undefined ? [] : [param];
  }
  if (!isSet(paramRef.selector)) throw new Error(`one of name or selector must be provided, got ${goQuote('')}`);
  const selector = labelSelectorFromObject(paramRef.selector);
  return (await resource.list(namespace)).filter(({ metadata }) => selector.matches(metadata.labels));
}
