import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { Asn1Error, children, type Element, syntaxError, tags } from './der.ts';
import { NoCertificateRequestError, readCertificateRequest } from './request.ts';

/** Hash and words of failure by the object identifier of a signature algorithm, in hex. */
const algorithms: Readonly<Record<string, { readonly hash: string | null; readonly failure: string }>> = {
  '2a864886f70d010105': { hash: 'sha1', failure: 'crypto/rsa: verification error' },
  '2a864886f70d01010b': { hash: 'sha256', failure: 'crypto/rsa: verification error' },
  '2a864886f70d01010c': { hash: 'sha384', failure: 'crypto/rsa: verification error' },
  '2a864886f70d01010d': { hash: 'sha512', failure: 'crypto/rsa: verification error' },
  '2a8648ce3d0401': { hash: 'sha1', failure: 'x509: ECDSA verification failure' },
  '2a8648ce3d040302': { hash: 'sha256', failure: 'x509: ECDSA verification failure' },
  '2a8648ce3d040303': { hash: 'sha384', failure: 'x509: ECDSA verification failure' },
  '2a8648ce3d040304': { hash: 'sha512', failure: 'x509: ECDSA verification failure' },
  '2b6570': { hash: null, failure: 'x509: Ed25519 verification failure' },
};

function readKey(spki: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/** What is wrong with the signature; keys and algorithms that are not known here are let through. */
function signatureProblem(der: Buffer, request: Element): string | undefined {
  const [info, algorithm, signature] = children(der, request);
  if (info === undefined || algorithm === undefined || signature?.tag !== tags.bitString)
    throw syntaxError('sequence truncated');
  const [oid] = children(der, algorithm);
  const spki = children(der, info)[2];
  if (oid?.tag !== tags.objectIdentifier || spki === undefined) throw syntaxError('sequence truncated');
  const known = algorithms[der.subarray(oid.content, oid.end).toString('hex')];
  const key = readKey(der.subarray(spki.start, spki.end));
  if (known === undefined || key === undefined) return undefined;
  const signed = der.subarray(info.start, info.end);
  const valid = verify(known.hash, signed, key, der.subarray(signature.content + 1, signature.end));
  return valid ? undefined : known.failure;
}

/** Why a PEM text is no certificate request signed with its own key, in Go's words; undefined when it is one. */
export function certificateRequestProblem(pem: string): string | undefined {
  try {
    const { der, frame } = readCertificateRequest(pem);
    return signatureProblem(der, frame);
  } catch (error) {
    if (error instanceof Asn1Error || error instanceof NoCertificateRequestError) return error.message;
    throw error;
  }
}

/** What a DER-encoded request says of itself. */
export interface RequestedKey {
  /** undefined = an algorithm that is not known here. */
  readonly key: KeyObject | undefined;
  /** Whether the request is signed with that key. */
  readonly signed: boolean;
}

/** The key of a certificate request in DER; undefined when the bytes are none. */
export function requestedKey(der: Buffer): RequestedKey | undefined {
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  try {
    const { frame } = readCertificateRequest(pem);
    const signed = signatureProblem(der, frame) === undefined;
    const [info] = children(der, frame);
    const spki = info === undefined ? undefined : children(der, info)[2];
    return spki === undefined ? undefined : { key: readKey(der.subarray(spki.start, spki.end)), signed };
  } catch (error) {
    if (error instanceof Asn1Error || error instanceof NoCertificateRequestError) return undefined;
    throw error;
  }
}
