import type { StoredKinds } from '@apichain/api/stored-kinds';
import type { UserInfo } from '@apichain/authn';
import type { GroupVersionKind, GroupVersionResource, KubeObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import type { Reinvocation } from './reinvocation.ts';

/** The operation of a request on an object, as AdmissionReview names it. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A resource in one version, and the kind of the objects that its endpoint reads and writes. */
export interface VersionedResource {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

/**
 * How an endpoint converts and decodes its objects, for plugins that need them in another version or replace them: the ObjectInterfaces of
 * k8s.io/apiserver/pkg/admission. All requests of an endpoint share one.
 */
export interface ObjectInterfaces {
  /** Every version of the request's resource, including the version of the request. */
  readonly equivalents: readonly VersionedResource[];
  /** The fields of the kind, for merging and typed lists. */
  readonly type: Type;
  /** A copy of the object in another version of `equivalents`; does not change the object. */
  convert(object: KubeObject, kind: GroupVersionKind): Promise<KubeObject> | KubeObject;
  /**
   * Decodes a plugin's JSON as a new, defaulted object of `kind`. Throws Error when the value is not an object of that kind, and with `strict`
   * when it has fields that the kind does not have.
   */
  decode(value: KubeObject, kind: GroupVersionKind, strict?: boolean): KubeObject;
}

/**
 * A write that passes through admission. `T` is the type of the objects in the version of the endpoint.
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
  /** Absent where nothing is written, and in tests. Without it there is only one version, and JSON is used without decoding. */
  readonly interfaces?: ObjectInterfaces;
  /** Aborts when the client disconnects or the request's deadline passes. */
  readonly signal?: AbortSignal;
  /** The request's deadline, in milliseconds since the epoch. */
  readonly deadline?: number;
  /** Which webhooks and policies are called again in the second round; created by the first plugin that needs it. */
  reinvocation?: Reinvocation;
  warn(text: string): void;
  /** Adds an annotation to the audit event. */
  annotate?(key: string, value: string): void;
  /** Adds the milliseconds that webhooks took to the audit event. */
  track?(part: 'mutating-webhook' | 'validating-webhook', milliseconds: number): void;
}

/**
 * Whether a request is for a built-in resource (`pods`, `deployments.apps`) or one of its subresources. The objects then have the kind of the
 * resource, except for subresources with a kind of their own.
 */
export function isAbout<Resource extends keyof StoredKinds>(
  attributes: AdmissionAttributes,
  key: Resource,
): attributes is AdmissionAttributes<StoredKinds[Resource]> {
  const { group, resource } = attributes.resource;
  if (group === '') return resource === key;
  return key.length === resource.length + 1 + group.length && key.startsWith(resource) && key.endsWith(`.${group}`);
}

/** Rejects a request by throwing a StatusError. All mutating plugins run before the first validating plugin. */
export interface AdmissionPlugin {
  readonly name: string;
  readonly handles: ReadonlySet<AdmissionOperation>;
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
}
