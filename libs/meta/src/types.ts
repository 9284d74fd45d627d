import type { JsonContainer, Struct } from './document-facts.ts';

/** A JSON value. Integers beyond 2^53 are `bigint`, so that 64-bit fields keep their exact values. */
export type JsonValue = null | boolean | number | bigint | string | JsonArray | JsonObject;
/** A JSON object. An undefined member counts as absent. */
export interface JsonObject extends JsonContainer {
  [key: string]: JsonValue | undefined;
}

/** A JSON list. */
export interface JsonArray extends Array<JsonValue>, JsonContainer {}

/** An API version: `apps` and `v1`. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** A kind of any version. `group` is '' for the core group, here and in the following types. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A resource of any version; `resource` is the plural. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** A kind of one version. */
export interface GroupVersionKind extends GroupVersion, GroupKind {}
/** A resource of one version. */
export interface GroupVersionResource extends GroupVersion, GroupResource {}

/** An owner of an object: https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/ */
export interface OwnerReference extends Struct {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** The fields of an object that one manager owns: https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
export interface ManagedFieldsEntry extends Struct {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/ */
export interface ObjectMeta extends Struct {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any API object in its JSON form. Lists and options kinds use it too, with different metadata. */
export interface KubeObject extends Struct {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** `metadata` of a list: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/list-meta/ */
export interface ListMeta extends Struct {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
  selfLink?: string;
}

/** `group/version`, or the version alone for the core group. */
export function formatGroupVersion(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** The inverse of formatGroupVersion. Throws Error `unexpected GroupVersion string: X` if there is more than one slash. */
export function parseGroupVersion(apiVersion: string): GroupVersion {
  const parts = apiVersion.split('/');
  if (parts.length === 1) return { group: '', version: parts[0] ?? '' };
  if (parts.length === 2) return { group: parts[0] ?? '', version: parts[1] ?? '' };
  throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
}

/** `pods`, or `deployments.apps` outside the core group, as in error messages. */
export function formatGroupResource(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}

/** Whether both are the same kind in the same version of its group. */
export const isSameKind = (a: GroupVersionKind, b: GroupVersionKind): boolean =>
  a.group === b.group && a.version === b.version && a.kind === b.kind;

/** `Pod`, or `Deployment.apps` outside the core group, as in error messages. */
export function formatGroupKind(gk: GroupKind): string {
  return gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`;
}
