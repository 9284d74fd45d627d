import {
  errorMessage,
  exceedingMembers,
  inTurns,
  isSameKind,
  newInternalError,
  newNotFound,
  newTooManyMembers,
  type GroupVersionKind,
  type KubeObject,
  type LabelSelector,
} from '@apichain/meta';
import { lookedUp, type ObjectLookup } from './object-lookup.ts';
import type { AdmissionAttributes } from './plugin.ts';
import { requestNamespace } from './rules.ts';

/** The namespace a request is in, from the cache or else the store. Throws NotFound. */
export async function namespaceOf(lookup: ObjectLookup, name: string): Promise<KubeObject> {
  const namespace =
    (await lookup.get(lookedUp.namespaces, '', name)) ?? (await lookup.live(lookedUp.namespaces, '', name));
  if (namespace === undefined) throw newNotFound(lookedUp.namespaces, name);
  return namespace;
}

const isNamespaceWrite = ({ resource, subresource, operation }: AdmissionAttributes): boolean =>
  resource.resource === 'namespaces' && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');

/**
 * Whether the namespace of a request is selected; what is in no namespace always is. A namespace being written is judged by its new labels.
 * Throws NotFound when there is no such namespace. After predicates/namespace of k8s.io/apiserver.
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

/** Whether the object, before or after the write, is selected. After predicates/object of k8s.io/apiserver. */
export function objectSelected(selector: LabelSelector, { object, oldObject }: AdmissionAttributes): boolean {
  if (selector.empty) return true;
  const selects = (candidate: KubeObject | undefined) =>
    candidate !== undefined && selector.matches(candidate.metadata.labels);
  return selects(object) || selects(oldObject);
}

/** The object and the old one in the version that a webhook or policy wants. */
export interface VersionedObjects {
  readonly kind: GroupVersionKind;
  object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** Converts what a request is about, where that is needed. Throws InternalError with the reason when it fails. */
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

/** Makes `changed`, an object of `kind`, the object of the request: decoded, defaulted and in the version of the endpoint; `strict` forgives no unknown fields. Throws RequestEntityTooLarge. */
export async function replaceObject(
  attributes: Pick<AdmissionAttributes, 'object' | 'interfaces' | 'kind'>,
  changed: KubeObject,
  kind: GroupVersionKind,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<KubeObject> {
  const { object, interfaces } = attributes;
  if (object === undefined) throw new Error('there is no object to change');
  if (await inTurns(exceedingMembers(changed, object))) throw newTooManyMembers();
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
