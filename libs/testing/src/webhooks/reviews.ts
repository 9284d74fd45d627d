import { errorMessage, type KubeObject } from '@apichain/meta';

/*
 * The requests and responses between the API server and a webhook: AdmissionReview (admission.k8s.io/v1) and ConversionReview
 * (apiextensions.k8s.io/v1)
 * (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/).
 */

/** A kind, in the form used by reviews. */
export interface GroupVersionKindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource, in the form used by reviews. */
export interface GroupVersionResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** `request` of an AdmissionReview: https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#request */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: GroupVersionKindName;
  readonly resource: GroupVersionResourceName;
  readonly subResource?: string;
  readonly requestKind?: GroupVersionKindName;
  readonly requestResource?: GroupVersionResourceName;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly userInfo: {
    readonly username: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** null if there is no object: on DELETE. */
  readonly object: KubeObject | null;
  /** null if there is no old object: on CREATE and CONNECT. */
  readonly oldObject: KubeObject | null;
  readonly dryRun?: boolean;
  readonly options?: Readonly<Record<string, unknown>> | null;
}

/** The body that the chain sends to an admission webhook. */
export interface AdmissionReview {
  readonly apiVersion: string;
  readonly kind: 'AdmissionReview';
  readonly request: AdmissionRequest;
}

/** One operation of a JSON Patch (RFC 6902). */
export interface JsonPatchStep {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** The response of an admission webhook; uid and encoding are filled in. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** The status of a refusal: `message`, `code`, `reason`. */
  readonly status?: { readonly message?: string; readonly code?: number; readonly reason?: string };
  readonly patch?: readonly JsonPatchStep[];
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/**
 * An admission webhook. A boolean only allows or refuses the request. An object with a `response` is sent as it is. If the handler throws,
 * the response is an HTTP 500, and the API server applies the failurePolicy.
 */
export type AdmissionHandler = (
  review: AdmissionReview,
) => AdmissionResponse | boolean | { response: object } | Promise<AdmissionResponse | boolean | { response: object }>;

/**
 * The body that the chain sends to a conversion webhook:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-request-and-response
 */
export interface ConversionReview {
  readonly apiVersion: string;
  readonly kind: 'ConversionReview';
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly KubeObject[];
  };
}

/** A conversion webhook: returns the objects in the desired version, in the same order. If it throws, the error is the reason of the failure. */
export type ConversionHandler = (review: ConversionReview) => readonly object[] | Promise<readonly object[]>;

/** Calls the handler and converts its result to an AdmissionReview. Throws what the handler throws. */
export async function reviewAdmission(handler: AdmissionHandler, review: AdmissionReview): Promise<object> {
  const { apiVersion, kind, request } = review;
  const result = await handler(review);
  if (typeof result === 'object' && 'response' in result) return { apiVersion, kind, ...result };
  const { patch, ...rest } = typeof result === 'boolean' ? { allowed: result } : result;
  const encoded =
    patch === undefined ? {} : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
  return { apiVersion, kind, response: { uid: request.uid, ...rest, ...encoded } };
}

/** Calls the handler and converts its result to a ConversionReview. */
export async function reviewConversion(handler: ConversionHandler, review: ConversionReview): Promise<object> {
  const { apiVersion, kind, request } = review;
  const convert = async () => {
    try {
      return { convertedObjects: await handler(review), result: { status: 'Success' } };
    } catch (error) {
      return { result: { status: 'Failed', message: errorMessage(error) } };
    }
  };
  return { apiVersion, kind, response: { uid: request.uid, ...(await convert()) } };
}
