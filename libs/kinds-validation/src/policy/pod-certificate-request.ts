import { constants, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { PodCertificateRequest, PodCertificateRequestSpec } from '@apichain/api/certificates/v1beta1';
import type { Bytes } from '@apichain/api/scalars';
import { requestedKey } from '@apichain/authn';
import { byteLength, field, isDNS1123Subdomain, nameIsDNSSubdomain, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { goValue } from '../common/go-value.ts';
import { domainPrefixedKey, signerName } from '../common/formats.ts';
import { checkEach, collect, immutable, invalidEach, type Out, sortedEntries, withoutValue } from '../common/rules.ts';

/* Certificate requests of kubelets to signers on behalf of pods. After pkg/apis/certificates/validation of kubernetes 1.36. */

const longestUid = 128;
const largestRequest = 10 * 1024;
const largestAnnotations = 256 * 1024;
const shortest = 60 * 60;
const longest = 91 * 24 * 60 * 60;
const longestOfKubernetes = 24 * 60 * 60;
const pkixPath = 'spec.pkixPublicKey';
const proofPath = 'spec.proofOfPossession';
const requestPath = 'spec.stubPKCS10Request';
const curves: Readonly<Record<string, string>> = { secp224r1: 'P-224' };
const knownCurves = ['prime256v1', 'secp384r1', 'secp521r1'];
const unknownType = 'unknown public key type; supported types are Ed25519, ECDSA, and RSA';

function uid(out: Out, path: string, value = ''): void {
  if (value === '') out.push(field.invalid(path, '', 'must not be empty'));
  if (byteLength(value) > longestUid) out.push(field.tooLong(path, longestUid));
}

/** Whether the key has allowed parameters; adds an error if not. */
function keyParameters(out: Out, path: string, key: KeyObject, curveDetail: string): boolean {
  const { namedCurve = '', modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec' && !knownCurves.includes(namedCurve)) {
    out.push(field.invalid(path, `curve ${curves[namedCurve] ?? namedCurve}`, curveDetail));
    return false;
  }
  if (key.asymmetricKeyType === 'rsa' && modulusLength !== 3072 && modulusLength !== 4096) {
    const detail = 'RSA keys must have modulus size 3072 or 4096';
    out.push(field.invalid(path, `${modulusLength}-bit modulus`, detail));
    return false;
  }
  return true;
}

const isKnown = (key: KeyObject): boolean => ['ed25519', 'ec', 'rsa'].includes(key.asymmetricKeyType ?? '');

function stubErrors(out: Out, stub: Buffer): void {
  if (stub.length > largestRequest) {
    out.push(field.tooLong(requestPath, largestRequest));
    return;
  }
  const request = requestedKey(stub);
  if (request === undefined) out.push(withoutValue(requestPath, 'must be a valid PKCS#10 CSR'));
  else if (request.key === undefined || !isKnown(request.key)) out.push(withoutValue(requestPath, unknownType));
  else {
    const detail = 'elliptic public keys must use curve P256, P384, or P521';
    if (keyParameters(out, requestPath, request.key, detail) && !request.signed) {
      out.push(withoutValue(requestPath, 'invalid signature'));
    }
  }
}

function publicKey(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

function isProven(key: KeyObject, podUid: string, proof: Buffer): boolean {
  const data = Buffer.from(podUid);
  if (key.asymmetricKeyType === 'ed25519') return verify(null, data, key, proof);
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  return verify('sha256', data, key.asymmetricKeyType === 'rsa' ? { key, ...padding } : key, proof);
}

function keyErrors(out: Out, spec: PodCertificateRequestSpec, encoded: Buffer, proof: Buffer): void {
  for (const [path, bytes] of [
    [pkixPath, encoded],
    [proofPath, proof],
  ] as const) {
    if (bytes.length <= largestRequest) continue;
    out.push(field.tooLong(path, largestRequest));
    return;
  }
  const key = publicKey(encoded);
  if (key === undefined) {
    out.push(field.invalid(pkixPath, spec.pkixPublicKey, 'must be a valid PKIX-serialized public key'));
  } else if (!isKnown(key)) out.push(field.invalid(pkixPath, spec.pkixPublicKey, unknownType));
  else {
    const detail = 'elliptic public keys must use curve P256 or P384';
    if (keyParameters(out, pkixPath, key, detail) && !isProven(key, spec.podUID ?? '', proof)) {
      out.push(withoutValue(proofPath, 'could not verify proof-of-possession signature'));
    }
  }
}

function annotationErrors(out: Out, annotations: Readonly<Record<string, string>>): void {
  const path = 'spec.unverifiedUserAnnotations';
  const entries = sortedEntries(annotations);
  checkEach(out, entries, (out, [name]) => domainPrefixedKey(out, path, name.toLowerCase()));
  const size = entries.reduce((sum, [name, value]) => sum + byteLength(name) + byteLength(value), 0);
  if (size > largestAnnotations) out.push(field.tooLong(path, largestAnnotations));
}

/** Whether the lifetime is present; adds an error if it is out of bounds. */
function lifetime(out: Out, spec: PodCertificateRequestSpec): boolean {
  const path = 'spec.maxExpirationSeconds';
  if (!isSet(spec.maxExpirationSeconds)) {
    out.push(field.required(path, 'must be set'));
    return false;
  }
  const [domain = ''] = (spec.signerName ?? '').split('/');
  const most = /(?:^|\.)kubernetes\.io$/.test(domain) ? longestOfKubernetes : longest;
  const seconds = spec.maxExpirationSeconds;
  if (seconds < shortest || seconds > most) {
    out.push(field.invalid(path, seconds, `must be in the range [${shortest}, ${most}]`));
  }
  return true;
}

const bytesOf = (value: Bytes | null | undefined): Buffer => Buffer.from(value ?? '', 'base64');

export function validatePodCertificateRequest(request: PodCertificateRequest): FieldError[] {
  return collect((out) => {
    const spec = request.spec ?? {};
    const named = (
      name: 'podName' | 'serviceAccountName' | 'nodeName',
      rule: (value: string) => readonly string[],
    ): void => {
      const value = spec[name] ?? '';
      invalidEach(out, `spec.${name}`, value, rule(value));
    };
    signerName(out, 'spec.signerName', spec.signerName);
    if (isSet(spec.unverifiedUserAnnotations)) annotationErrors(out, spec.unverifiedUserAnnotations);
    named('podName', (name) => nameIsDNSSubdomain(name, false));
    uid(out, 'spec.podUID', spec.podUID);
    named('serviceAccountName', (name) => nameIsDNSSubdomain(name, false));
    uid(out, 'spec.serviceAccountUID', spec.serviceAccountUID);
    named('nodeName', isDNS1123Subdomain);
    uid(out, 'spec.nodeUID', spec.nodeUID);
    if (!lifetime(out, spec)) return;
    const stub = bytesOf(spec.stubPKCS10Request);
    const encoded = bytesOf(spec.pkixPublicKey);
    const proof = bytesOf(spec.proofOfPossession);
    if (stub.length > 0 && encoded.length === 0 && proof.length === 0) stubErrors(out, stub);
    else if (stub.length === 0 && encoded.length > 0 && proof.length > 0) keyErrors(out, spec, encoded, proof);
    else {
      const detail = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
      out.push(withoutValue('spec', detail));
    }
  });
}

/** The spec of a request is immutable. */
export const validatePodCertificateRequestUpdate = (
  request: PodCertificateRequest,
  old: PodCertificateRequest,
): FieldError[] =>
  collect((out) => {
    const shown = goValue('certificates.k8s.io.v1beta1.PodCertificateRequestSpec', request.spec ?? {});
    immutable(out, 'spec', request.spec, old.spec, shown);
  });

/** The public key that a certificate for the request must have; undefined when it cannot be parsed. */
export function keyOfRequest(request: PodCertificateRequest): KeyObject | undefined {
  const { stubPKCS10Request, pkixPublicKey } = request.spec ?? {};
  return (stubPKCS10Request ?? '') === ''
    ? publicKey(bytesOf(pkixPublicKey))
    : requestedKey(bytesOf(stubPKCS10Request))?.key;
}
