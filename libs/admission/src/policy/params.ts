import type { ParamKind, ParamRef } from '@apichain/api/admissionregistration/v1';
import { discoverGroupVersion, type RestClient } from '@apichain/client';
import { goQuote } from '@apichain/go-text';
import {
  isStatusError,
  labelSelectorFromObject,
  parseGroupVersion,
  type GroupVersionKind,
  type KubeObject,
  isSet,
} from '@apichain/meta';
import { DeferredRestMapper, type RestMapper, type RestMapping } from '@apichain/rest-mapper';
import type { ObjectLookup } from '../object-lookup.ts';
import type { KindResolver } from '../plugins/owner-references-permission-enforcement.ts';

/** A kind whose objects may be parameters, and how they are read. */
export interface ParamResource {
  readonly namespaced: boolean;
  get(namespace: string, name: string): Promise<KubeObject | undefined>;
  list(namespace: string): Promise<readonly KubeObject[]>;
}
/** Undefined = the kind is not served. */
export type ParamFinder = (apiVersion: string, kind: string) => Promise<ParamResource | undefined>;

export interface ParamSources {
  /** Built-in kinds; their objects are read from the stores. */
  readonly builtin: Pick<RestMapper, 'getByKind'>;
  readonly lookup: ObjectLookup;
  readonly custom: CustomKinds;
}

/** Without managedFields, as in the informers of kube-apiserver for built-in kinds. */
function withoutManagedFields({ managedFields: _managed, ...rest }: KubeObject['metadata']): KubeObject['metadata'] {
  return rest;
}

export function paramFinder({ builtin, lookup, custom }: ParamSources): ParamFinder {
  return async (apiVersion, kind) => {
    const wanted = { ...parseGroupVersion(apiVersion), kind };
    const resource = builtin.getByKind(wanted);
    if (resource === undefined) return custom.params(wanted);
    const typed = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: withoutManagedFields(object.metadata),
      apiVersion,
      kind,
    });
    return {
      namespaced: resource.scope === 'Namespaced',
      async get(namespace, name) {
        const found = (await lookup.get(resource, namespace, name)) ?? (await lookup.live(resource, namespace, name));
        return found === undefined ? undefined : typed(found);
      },
      list: async (namespace) => (await lookup.list(resource, namespace)).map(typed),
    };
  };
}

/** Custom kinds, as this server and the servers behind it serve them. */
export class CustomKinds {
  /** Undefined before the server has started; no custom kind is found then. */
  readonly #client: () => RestClient | undefined;
  readonly #mapper = new DeferredRestMapper({
    discover: (groupVersion) => {
      const client = this.#client();
      return client === undefined ? Promise.resolve([]) : discoverGroupVersion(client, groupVersion);
    },
  });

  constructor(client: () => RestClient | undefined) {
    this.#client = client;
  }

  /** The resource of a kind; undefined = the kind is not served. Throws as RestClient does. */
  async mappingOf(kind: GroupVersionKind): Promise<RestMapping | undefined> {
    return kind.group === '' ? undefined : this.#mapper.mappingOf(kind);
  }

  /** Reads objects of a kind; undefined = the kind is not served. Throws as RestClient does. */
  async params(kind: GroupVersionKind): Promise<ParamResource | undefined> {
    const client = this.#client();
    const found = await this.mappingOf(kind);
    if (client === undefined || found === undefined) return undefined;
    const { group, version, resource } = found;
    const reference = (namespace: string) => ({
      group,
      version,
      resource,
      ...(namespace === '' ? {} : { namespace }),
    });
    return {
      namespaced: found.scope === 'Namespaced',
      get: (namespace, name) => orNotFound(client.get(reference(namespace), name)),
      list: async (namespace) => (await client.list(reference(namespace))).items,
    };
  }
}

/** Finds the resource of a kind, built-in or custom. */
export const resourceFinder =
  ({ builtin, custom }: Pick<ParamSources, 'builtin' | 'custom'>): KindResolver =>
  async (kind) =>
    builtin.getByKind(kind) ?? custom.mappingOf(kind);

async function orNotFound<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isStatusError(error, 'NotFound') || (isStatusError(error) && error.code === 404)) return undefined;
    throw error;
  }
}

/**
 * The resource of a policy's parameters; undefined = the policy has no parameters. Throws
 * Error when the kind is not served; the bindings of the policy are not evaluated then.
 */
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
 * The parameters that a policy is evaluated with for one binding. An `undefined` element means an evaluation without parameters; an empty list
 * means no evaluation. Throws Error with the reason for the client. After CollectParams of k8s.io/apiserver/pkg/admission/plugin/policy/generic.
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
