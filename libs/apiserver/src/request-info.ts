/**
 * What the path and query ask for, parsed once per request, after k8s.io/apiserver/pkg/endpoints/request.RequestInfo.
 */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly path: string;
  /** get, list, watch, create, update, patch, delete, deletecollection, proxy; the lower-cased method for non-resource paths. */
  readonly verb: string;
  /** `api` or `apis`. */
  readonly apiPrefix: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path segments from the resource on. */
  readonly parts: readonly string[];
  /** Raw selectors of list, watch and deletecollection. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
}
