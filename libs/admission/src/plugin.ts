import type { StoredKinds } from '@apichain/api/stored-kinds';
import type { UserInfo } from '@apichain/authn';
import type { GroupVersionKind, GroupVersionResource, KubeObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import type { Reinvocation } from './reinvocation.ts';

/** What a request does to an object, as AdmissionReview names it. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A resource in one version, and the kind that its endpoint takes and gives. */
export interface VersionedResource {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

/**
 * What the endpoint knows of its objects, for plugins that look at them in another version or write them anew: the ObjectInterfaces of
 * k8s.io/apiserver/pkg/admission. One for all requests of an endpoint.
 */
export interface ObjectInterfaces {
  /** Every version of what the request is about, the request's own among them. */
  readonly equivalents: readonly VersionedResource[];
  /** The fields of the kind, for merging and typed lists. */
  readonly type: Type;
  /** A copy in another version of `equivalents`; the object is left as it is. */
  convert(object: KubeObject, kind: GroupVersionKind): Promise<KubeObject> | KubeObject;
  /**
   * A plugin's JSON as an object of `kind`: typed and defaulted; a fresh object. Throws Error when it is none, and with `strict` when
   * it has fields that the kind does not have.
   */
  decode(value: KubeObject, kind: GroupVersionKind, strict?: boolean): KubeObject;
}

/**
 * One write on its way to storage; `T` is the type of the objects in the version of the endpoint:
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
export interface AdmissionAttributes<T extends KubeObject = KubeObject> {
  readonly operation: AdmissionOperation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Mutating plugins change it in place; undefined on DELETE. */
  readonly object?: T;
  readonly oldObject?: T;
  readonly options?: unknown;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** Absent where nothing is written, and in tests: then there is one version, and JSON is taken as it is. */
  readonly interfaces?: ObjectInterfaces;
  /** Aborts when the client goes away or the request's time is up. */
  readonly signal?: AbortSignal;
  /** When the request's time is up, milliseconds since the epoch. */
  readonly deadline?: number;
  /** Which plugins want to see the object again; made by the first that does. */
  reinvocation?: Reinvocation;
  warn(text: string): void;
  /** A note for the audit log. */
  annotate?(key: string, value: string): void;
  /** Adds the milliseconds that webhooks have taken, for the audit log. */
  track?(part: 'mutating-webhook' | 'validating-webhook', milliseconds: number): void;
}

/**
 * Whether a request is about a built-in resource, `pods` or `deployments.apps`, or about a subresource of it. Its objects are of the kind
 * then, but for subresources with a kind of their own.
 */
export function isAbout<Resource extends keyof StoredKinds>(
  attributes: AdmissionAttributes,
  key: Resource,
): attributes is AdmissionAttributes<StoredKinds[Resource]> {
  const { group, resource } = attributes.resource;
  if (group === '') return resource === key;
  return key.length === resource.length + 1 + group.length && key.startsWith(resource) && key.endsWith(`.${group}`);
}

/** Refuses by throwing a StatusError. All mutating plugins run before the first validating one. */
export interface AdmissionPlugin {
  readonly name: string;
  readonly handles: ReadonlySet<AdmissionOperation>;
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
}
