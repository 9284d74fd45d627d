import type { AdmissionResponse, AdmissionReview } from '@apichain/api/admission/v1';
import type { Status } from '@apichain/api/meta/v1';
import { randomUUID } from 'node:crypto';
import { goQuote } from '@apichain/go-text';
import { isSet, type Plain } from '@apichain/meta';
import type { AdmissionAttributes, VersionedResource } from '../plugin.ts';
import type { VersionedObjects } from '../selection.ts';
import { admissionRequest } from '../admission-request.ts';

const group = 'admission.k8s.io';
const knownVersions: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

export interface Review {
  readonly uid: string;
  readonly version: string;
  readonly body: Plain;
}

/** An AdmissionReview in the first version of the webhook that this server supports. Throws Error when there is none. */
export function createReview(
  attributes: AdmissionAttributes,
  version: VersionedResource,
  objects: VersionedObjects,
  accepted: readonly string[],
): Review {
  const reviewVersion = accepted.find((candidate) => knownVersions.has(candidate));
  if (reviewVersion === undefined)
    throw new Error(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    );
  const uid = randomUUID();
  const { object = null, oldObject = null } = objects;
  const body = {
    kind: 'AdmissionReview',
    apiVersion: `${group}/${reviewVersion}`,
    request: { uid, ...admissionRequest(attributes, version), object, oldObject, ...trailing(attributes) },
  };
  return { uid, version: reviewVersion, body };
}

const trailing = ({ dryRun, options }: AdmissionAttributes): Plain => ({ dryRun, options: options ?? null });

/** The decoded response of a webhook. */
export interface Verdict {
  readonly allowed: boolean;
  /** Decoded from base64; empty = no changes. */
  readonly patch: Buffer;
  readonly patchType: string;
  readonly result: Status | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

function patchOf(response: AdmissionResponse, version: string): { patch: Buffer; patchType: string } {
  const patch = Buffer.from(response.patch ?? '', 'base64');
  if (version === 'v1beta1') return { patch, patchType: patch.length > 0 ? 'JSONPatch' : '' };
  if (patch.length > 0 && !isSet(response.patchType))
    throw new Error('webhook returned response.patch but not response.patchType');
  if (patch.length === 0 && isSet(response.patchType))
    throw new Error('webhook returned response.patchType but not response.patch');
  if (response.patchType === '') throw new Error('webhook returned invalid response.patchType of ""');
  return { patch, patchType: response.patchType ?? '' };
}

const noPatch = { patch: Buffer.alloc(0), patchType: '' };

function refusePatch(response: AdmissionResponse): void {
  if ((response.patch ?? '') !== '') throw new Error('validating webhook may not return response.patch');
  if (isSet(response.patchType)) throw new Error('validating webhook may not return response.patchType');
}

/**
 * Reads a response. Throws Error when it is not a valid response to this review.
 * After VerifyAdmissionResponse of k8s.io/apiserver/pkg/admission/plugin/webhook/request.
 */
export function readReview(review: AdmissionReview, { uid, version }: Review, mutating: boolean): Verdict {
  const { response } = review;
  if (!isSet(response)) throw new Error('webhook response was absent');
  if (version === 'v1') {
    if (response.uid !== uid)
      throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(response.uid ?? '')}`);
    const got = goKind(review);
    const wanted = `${group}/v1, Kind=AdmissionReview`;
    if (got !== wanted) throw new Error(`expected webhook response of ${wanted}, got ${got}`);
    if (!mutating) refusePatch(response);
  }
  return {
    allowed: response.allowed === true,
    ...(mutating ? patchOf(response, version) : noPatch),
    result: response.status,
    warnings: response.warnings ?? [],
    auditAnnotations: response.auditAnnotations ?? {},
  };
}

const goKind = (review: AdmissionReview): string => {
  const apiVersion = review.apiVersion ?? '';
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${review.kind ?? ''}`;
};
