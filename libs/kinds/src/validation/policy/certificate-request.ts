import { createPublicKey, verify, type KeyObject } from 'node:crypto';

/*
 * A PKCS #10 request as far as its checks go: PEM, the frame of its DER, its signature. The words are those of Go's encoding/pem,
 * encoding/asn1 and crypto/x509.
 */

const blockStart = '-----BEGIN ';
const pemBlock = /^-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([\s\S]*?)^-----END \1-----[ \t]*\r?$/m;
const header = /^[^\n:]*:[^\n]*$/gm;

/** The bytes of the first block of a PEM text; undefined when there is none of this type. */
function pemBytes(text: string, type: string): Buffer | undefined {
  if (!text.includes(blockStart)) return undefined;
  const [, found, body = ''] = pemBlock.exec(text) ?? [];
  const base64 = body.replace(header, '').replace(/\s/g, '');
  const isBase64 = base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64);
  return found === type && isBase64 ? Buffer.from(base64, 'base64') : undefined;
}

class Asn1Error extends Error {}
const syntax = (message: string): Asn1Error => new Asn1Error(`asn1: syntax error: ${message}`);
const structure = (message: string): Asn1Error => new Asn1Error(`asn1: structure error: ${message}`);

interface Element {
  readonly class: number;
  readonly compound: boolean;
  readonly tag: number;
  readonly start: number;
  /** Where the content starts. */
  readonly content: number;
  readonly end: number;
}

const sequence = 16;
const bitString = 3;
const objectIdentifier = 6;

/** Length of the element whose length byte is at `at`; `next` is where its content starts. Throws Asn1Error. */
function lengthAt(der: Buffer, at: number): { length: number; next: number } {
  const first = der[at];
  if (first === undefined) throw syntax('truncated tag or length');
  if (first < 0x80) return { length: first, next: at + 1 };
  const count = first & 0x7f;
  if (count === 0) throw syntax('indefinite length found (not DER)');
  let length = 0;
  for (let i = 1; i <= count; i++) {
    const byte = der[at + i];
    if (byte === undefined) throw syntax('truncated tag or length');
    if (length >= 1 << 23) throw structure('length too large');
    length = length * 256 + byte;
    if (length === 0) throw structure('superfluous leading zeros in length');
  }
  if (length < 0x80) throw structure('non-minimal length');
  return { length, next: at + count + 1 };
}

function elementAt(der: Buffer, start: number, limit: number): Element {
  const first = der[start];
  if (first === undefined || start >= limit) throw syntax('sequence truncated');
  const { length, next } = lengthAt(der, start + 1);
  const end = next + length;
  if (end > limit) throw syntax('data truncated');
  return { class: first >> 6, compound: (first & 0x20) !== 0, tag: first & 0x1f, start, content: next, end };
}

const plainParameters =
  '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}';

/** The frame of a request: `certificateRequest` in Go. */
function requestElement(der: Buffer): Element {
  const first = der[0];
  if (first === undefined) throw syntax('sequence truncated');
  const { length, next } = lengthAt(der, 1);
  const tag = first & 0x1f;
  const compound = (first & 0x20) !== 0;
  if (first !== 0x30) {
    const found = `{class:${first >> 6} tag:${tag} length:${length} isCompound:${compound}}`;
    throw structure(`tags don't match (${sequence} vs ${found}) ${plainParameters} certificateRequest @${next}`);
  }
  return elementAt(der, 0, der.length);
}

function children(der: Buffer, parent: Element): Element[] {
  const result: Element[] = [];
  for (let at = parent.content; at < parent.end;) {
    const child = elementAt(der, at, parent.end);
    result.push(child);
    at = child.end;
  }
  return result;
}

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
  if (info === undefined || algorithm === undefined || signature?.tag !== bitString) throw syntax('sequence truncated');
  const [oid] = children(der, algorithm);
  const spki = children(der, info)[2];
  if (oid?.tag !== objectIdentifier || spki === undefined) throw syntax('sequence truncated');
  const known = algorithms[der.subarray(oid.content, oid.end).toString('hex')];
  const key = readKey(der.subarray(spki.start, spki.end));
  if (known === undefined || key === undefined) return undefined;
  const signed = der.subarray(info.start, info.end);
  const valid = verify(known.hash, signed, key, der.subarray(signature.content + 1, signature.end));
  return valid ? undefined : known.failure;
}

/** Why a PEM text is no certificate request signed with its own key; undefined when it is one. */
export function certificateRequestProblem(pem: string): string | undefined {
  const der = pemBytes(pem, 'CERTIFICATE REQUEST');
  if (der === undefined) return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    const request = requestElement(der);
    if (request.end < der.length) throw syntax('trailing data');
    return signatureProblem(der, request);
  } catch (error) {
    if (error instanceof Asn1Error) return error.message;
    throw error;
  }
}
