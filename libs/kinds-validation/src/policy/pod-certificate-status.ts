import type { X509Certificate } from 'node:crypto';
import type { PodCertificateRequest, PodCertificateRequestStatus } from '@apichain/api/certificates/v1beta1';
import { byteLength, currentTime, field, findCondition, pemBlocks, type FieldError } from '@apichain/meta';
import { formatTime } from '@apichain/go-text';
import { isSet } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { conditionErrors } from '../common/conditions.ts';
import { collect, type Out, withoutValue } from '../common/rules.ts';
import { certificateOf } from './pem-certificates.ts';
import { keyOfRequest } from './pod-certificate-request.ts';

/* Results of signers for certificate requests of pods. After pkg/apis/certificates/validation of kubernetes 1.36. */

const ends = ['Denied', 'Failed', 'Issued'];
const largestChain = 100 * 1024;
const chainPath = 'status.certificateChain';
const minute = 60 * 1000;

const hasEnded = (status: PodCertificateRequestStatus | undefined, ...types: readonly string[]): boolean =>
  types.some((type) => findCondition(status?.conditions, type)?.status === 'True');

function endErrors(out: Out, status: PodCertificateRequestStatus): void {
  let known = 0;
  for (const [i, { type = '', status: value = '' }] of (status.conditions ?? []).entries()) {
    const path = `status.conditions.[${i}]`;
    if (!ends.includes(type)) {
      out.push(field.notSupported(`${path}.type`, type, ['Issued', 'Denied', 'Failed']));
      continue;
    }
    known += 1;
    if (known > 1) {
      const detail = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
      out.push(field.invalid(`${path}.type`, type, detail));
    }
    if (value !== 'True') out.push(field.notSupported(`${path}.status`, value, ['True']));
  }
  conditionErrors(out, 'status.conditions', status.conditions);
}

const milliseconds = (time: string | undefined): number => Date.parse(time ?? '');
const shownTime = (time: string | undefined): string => formatTime(new Date(milliseconds(time)));

/** The times of a certificate that a signer reports. */
type TimeName = 'notBefore' | 'notAfter' | 'beginRefreshAt';

/** Go's text of a duration in whole seconds. */
function shownDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  if (h > 0) return `${h}h${m}m${s}s`;
  return m > 0 ? `${m}m${s}s` : `${s}s`;
}

/** The first error of the times; undefined when they match the certificate. */
function timeError(
  request: PodCertificateRequest,
  status: PodCertificateRequestStatus,
  leaf: X509Certificate,
): FieldError | undefined {
  const [before, after, refresh] = [status.notBefore, status.notAfter, status.beginRefreshAt].map(milliseconds);
  const [validFrom, validTo] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  if (before === undefined || after === undefined || refresh === undefined) return undefined;
  const wrong = (name: TimeName, detail: string) => field.invalid(`status.${name}`, shownTime(status[name]), detail);
  if (before !== validFrom)
    return wrong('notBefore', 'must be set to the NotBefore time encoded in the leaf certificate');
  if (Math.abs(before - currentTime()) >= 5 * minute) {
    return wrong('notBefore', "must be set to within 5 minutes of kube-apiserver's current time");
  }
  if (after !== validTo) return wrong('notAfter', 'must be set to the NotAfter time encoded in the leaf certificate');
  const lifetime = validTo - validFrom;
  const asked = request.spec?.maxExpirationSeconds ?? 0;
  if (lifetime < 60 * minute) {
    return field.invalid(chainPath, shownDuration(lifetime), 'leaf certificate lifetime must be >= 1 hour');
  }
  if (lifetime > asked * 1000) {
    const detail = `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${asked})`;
    return field.invalid(chainPath, shownDuration(lifetime), detail);
  }
  if (refresh < before + 10 * minute)
    return wrong('beginRefreshAt', 'must be at least 10 minutes after status.notBefore');
  if (refresh > after - 10 * minute)
    return wrong('beginRefreshAt', 'must be at least 10 minutes before status.notAfter');
  return undefined;
}

const missingTimes: readonly (readonly [name: TimeName, detail: string])[] = [
  ['notBefore', 'must be present and consistent with the issued certificate'],
  ['notAfter', 'must be present and consistent with the issued certificate'],
  ['beginRefreshAt', 'must be present and in the range [notbefore+10min, notafter-10min]'],
];

/** Stops at the first error of an issued certificate. */
function issuedErrors(out: Out, request: PodCertificateRequest, old: PodCertificateRequest): void {
  const status = request.status ?? {};
  const chain = status.certificateChain ?? '';
  const refuse = (detail: string) => out.push(field.invalid(chainPath, chain, detail));
  if (byteLength(chain) > largestChain) {
    out.push(field.tooLong(chainPath, largestChain));
    return;
  }
  const [first, ...others] = [...pemBlocks(chain)];
  if (first === undefined) {
    refuse('issued certificate chain must contain at least one certificate');
    return;
  }
  if (first.type !== 'CERTIFICATE') {
    refuse('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
    return;
  }
  const leaf = certificateOf(first.bytes);
  if (leaf === undefined) {
    refuse('leaf certificate does not parse as valid X.509');
    return;
  }
  if (keyOfRequest(old)?.equals(leaf.publicKey) !== true) {
    refuse('leaf certificate was not issued to the requested public key');
    return;
  }
  for (const [name, detail] of missingTimes) {
    if (!isSet(status[name])) out.push(field.required(`status.${name}`, detail));
  }
  if (out.length > 0) return;
  const wrongTime = timeError(request, status, leaf);
  if (wrongTime !== undefined) {
    out.push(wrongTime);
    return;
  }
  for (const { type, bytes } of others) {
    if (type !== 'CERTIFICATE') refuse('issued certificate chain must consist entirely of CERTFICATE PEM blocks');
    else if (certificateOf(bytes) === undefined) refuse('intermediate certificate does not parse as valid X.509');
    else continue;
    return;
  }
}

/** A request is issued, denied or failed once. Other changes of its status are rejected. */
export function validatePodCertificateStatus(request: PodCertificateRequest, old: PodCertificateRequest): FieldError[] {
  return collect((out) => {
    const status = request.status ?? {};
    endErrors(out, status);
    if (out.length > 0) return;
    const changed = !semanticEqual(request.status, old.status);
    if (hasEnded(old.status, ...ends)) {
      if (changed) {
        out.push(withoutValue('status', 'immutable after PodCertificateRequest is issued, denied, or failed'));
      }
    } else if (hasEnded(status, 'Denied', 'Failed')) {
      if (Object.entries(status).some(([name, value]) => name !== 'conditions' && isSet(value))) {
        const detail = 'non-condition status fields must be empty when denying or failing the PodCertificateRequest';
        out.push(withoutValue('status', detail));
      }
    } else if (hasEnded(status, 'Issued')) issuedErrors(out, request, old);
    else if (changed) {
      const detail = 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"';
      out.push(withoutValue('status', detail));
    }
  });
}
