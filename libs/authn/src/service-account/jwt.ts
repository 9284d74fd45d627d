import { isUtf8 } from 'node:buffer';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { goQuote } from '@apichain/go-text';
import { errorMessage, isRecord, JsonSyntaxError, parseJsonStrict, stringifyJson } from '@apichain/meta';
import { JOSEError } from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import { SignJWT } from 'jose/jwt/sign';
import { asMembers, asText, asTexts, isAbsent } from '@apichain/scheme';
import type { Claims } from '../claims.ts';
import type { SigningKey, VerificationKey } from './keys.ts';

/** A signed token, parsed. Only its form has been checked. */
export interface ParsedToken {
  readonly header: Claims;
  readonly claims: Claims;
  /** The token as received. */
  readonly text: string;
  /** Why the header is none of go-jose; undefined if it is one. No key has signed such a token. */
  readonly headerProblem: string | undefined;
}

/** The limit of Go for all headers of a request. */
const maxTokenLength = 1 << 20;

/** JWS compact serialisation: https://www.rfc-editor.org/rfc/rfc7515 */
export function signToken(key: SigningKey, claims: Readonly<Record<string, unknown>>): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: key.algorithm, kid: key.id }).sign(key.privateKey);
}

/**
 * Undefined when the text is not a JSON web token. A token has three parts. The first two are objects without repeated members (RFC 7515, section
 * 4; RFC 7519, section 4). Each part has its canonical base64url encoding.
 */
export function parseToken(text: string): ParsedToken | undefined {
  if (text.length > maxTokenLength) return undefined;
  const first = text.indexOf('.');
  const second = text.indexOf('.', first + 1);
  if (first < 0 || second < 0) return undefined;
  const header = decode(text.slice(0, first));
  if (header === undefined || bytesOf(text.slice(second + 1)) === undefined) return undefined;
  const claims = decode(text.slice(first + 1, second));
  return claims === undefined ? undefined : { header, claims, text, headerProblem: headerProblem(header) };
}

/** The members of a header whose types go-jose checks, by the names in its errors. */
const headerMembers: readonly (readonly [string, string, (value: unknown) => unknown])[] = [
  ['alg', 'algorithm', asText],
  ['kid', 'key ID', asText],
  ['nonce', 'nonce', asText],
  ['jwk', 'JWK', publicKey],
  ['x5c', 'x5c header', (value) => asTexts(value).map(certificateOf)],
];

function headerProblem(header: Claims): string | undefined {
  for (const [name, title, read] of headerMembers)
    try {
      read(header[name]);
    } catch (error) {
      return `failed to unmarshal ${title}: ${errorMessage(error)}: ${goQuote(stringifyJson(header[name]))}`;
    }
  return hasInfinity(header) ? 'failed to unmarshal value: a number is out of range' : undefined;
}

function certificateOf(text: string): X509Certificate {
  const der = Buffer.from(text, 'base64');
  if (der.toString('base64') !== text) throw new Error('illegal base64 data');
  return new X509Certificate(der);
}

function publicKey(value: unknown): void {
  const jwk = asMembers(value, 'jose.rawJSONWebKey');
  if (isAbsent(value)) return;
  const type = asText(jwk['kty']);
  if (!['EC', 'RSA', 'OKP'].includes(type)) throw new Error(`go-jose/go-jose: unknown json web key type '${type}'`);
  if (Object.hasOwn(jwk, 'd')) throw new Error('go-jose/go-jose: invalid embedded jwk, must be public key');
  createPublicKey({ key: jwk, format: 'jwk' });
}

/** Whether a number is too large for a double, which JSON.parse reads as infinite. */
const hasInfinity = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(hasInfinity)
    : value === Infinity || value === -Infinity;

/** Undefined when the text is not the canonical base64url form of its bytes: other characters, padding, bits that belong to no byte. */
function bytesOf(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

function decode(part: string): Record<string, unknown> | undefined {
  const bytes = bytesOf(part);
  if (bytes === undefined || !isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  try {
    if (parseJsonStrict(text).duplicateFields.length > 0) return undefined;
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Whether the key has signed the token. The algorithm is the key's, whatever the token names. */
export async function isSignedBy(token: ParsedToken, { algorithm, key }: VerificationKey): Promise<boolean> {
  return token.header['alg'] === algorithm && (await verifies(token, key, algorithm));
}

/**
 * Whether the key has signed the token with this algorithm. False also for a header with critical extensions (`crit`), for a payload that is not
 * encoded (`b64`), and for a key whose type, curve or length does not fit the algorithm.
 */
export async function verifies(
  { text, header }: ParsedToken,
  key: Parameters<typeof compactVerify>[1],
  algorithm: string,
): Promise<boolean> {
  if (Object.hasOwn(header, 'b64')) return false;
  try {
    await compactVerify(text, key, { algorithms: [algorithm] });
    return true;
  } catch (error) {
    if (error instanceof JOSEError || isKeyError(error)) return false;
    throw error;
  }
}

/** The errors with which jose and WebCrypto report a key that does not fit or is malformed. */
export const isKeyError = (error: unknown): boolean => error instanceof TypeError || error instanceof DOMException;
