import {
  errorMessage,
  exceedsMembers,
  isSameKind,
  newInternalError,
  newNotFound,
  newTooManyMembers,
  pause,
  type GroupVersionKind,
  type KubeObject,
  type LabelSelector,
} from '@apichain/meta';
import { lookedUp, type ObjectLookup } from './object-lookup.ts';
import type { AdmissionAttributes } from './plugin.ts';
import { requestNamespace } from './rules.ts';

/** The namespace of a request, from the cache or else from the store. Throws NotFound. */
export async function namespaceOf(lookup: ObjectLookup, name: string): Promise<KubeObject> {
  const namespace =
    (await lookup.get(lookedUp.namespaces, '', name)) ?? (await lookup.live(lookedUp.namespaces, '', name));
  if (namespace === undefined) throw newNotFound(lookedUp.namespaces, name);
  return namespace;
}

const isNamespaceWrite = ({ resource, subresource, operation }: AdmissionAttributes): boolean =>
  resource.resource === 'namespaces' && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');

/**
 * Whether the selector selects the namespace of a request. Cluster-scoped objects are always selected. For a write of a Namespace, its new labels
 * count. Throws NotFound when the namespace does not exist. After predicates/namespace of k8s.io/apiserver.
 */
export async function namespaceSelected(
  selector: LabelSelector,
  attributes: AdmissionAttributes,
  lookup: ObjectLookup,
): Promise<boolean> {
  const name = requestNamespace(attributes);
  if (selector.empty || (name === '' && attributes.resource.resource !== 'namespaces')) return true;
  if (isNamespaceWrite(attributes)) return selector.matches(attributes.object?.metadata.labels);
  return selector.matches((await namespaceOf(lookup, name)).metadata.labels);
}

/** Whether the selector selects the object before or after the write. After predicates/object of k8s.io/apiserver. */
export function objectSelected(selector: LabelSelector, { object, oldObject }: AdmissionAttributes): boolean {
  if (selector.empty) return true;
  const selects = (candidate: KubeObject | undefined) => {
    // The options of a request that connects have no metadata.
    const metadata: unknown = candidate?.metadata;
    return metadata !== undefined && selector.matches(candidate?.metadata.labels);
  };
  return selects(object) || selects(oldObject);
}

/** The new and the old object in the version that a webhook or policy expects. */
export interface VersionedObjects {
  readonly kind: GroupVersionKind;
  object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** Converts the objects of a request to `kind` where necessary. Throws InternalError with the reason when that fails. */
export async function inVersion(attributes: AdmissionAttributes, kind: GroupVersionKind): Promise<VersionedObjects> {
  const { object, oldObject, interfaces } = attributes;
  if (interfaces === undefined || isSameKind(attributes.kind, kind)) return { kind, object, oldObject };
  try {
    return {
      kind,
      object: object === undefined ? undefined : await interfaces.convert(object, kind),
      oldObject: oldObject === undefined ? undefined : await interfaces.convert(oldObject, kind),
    };
  } catch (error) {
    throw newInternalError(errorMessage(error));
  }
}

/**
 * Replaces the object of the request by `changed`, an object of `kind`: decoded, defaulted and converted to the version of the endpoint.
 * With `strict`, unknown fields are errors. Throws RequestEntityTooLarge.
 */
export async function replaceObject(
  attributes: Pick<AdmissionAttributes, 'object' | 'interfaces' | 'kind'>,
  changed: KubeObject,
  kind: GroupVersionKind,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<KubeObject> {
  const { object, interfaces } = attributes;
  if (object === undefined) throw new Error('there is no object to change');
  if (exceedsMembers(changed, object)) throw newTooManyMembers();
  await pause();
  const decoded = interfaces === undefined ? changed : interfaces.decode(changed, kind, strict);
  const own =
    interfaces === undefined || isSameKind(attributes.kind, kind)
      ? decoded
      : await interfaces.convert(decoded, attributes.kind);
  const target: Record<string, unknown> = object;
  for (const key of Object.keys(target)) delete target[key];
  for (const [key, value] of Object.entries(own))
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  return decoded;
}
