import { isUtf8 } from 'node:buffer';
import { createPublicKey, type JsonWebKey, X509Certificate } from 'node:crypto';
import { isRecord, JsonSyntaxError, parseJsonStrict } from '@apichain/meta';
import { JOSEError } from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import { SignJWT } from 'jose/jwt/sign';
import { asText, asTexts, isAbsent } from '@apichain/scheme';
import type { Claims } from '../claims.ts';
import type { SigningKey, VerificationKey } from './keys.ts';

/** A signed token, parsed. Only its form has been checked. */
export interface ParsedToken {
  readonly header: Claims;
  readonly claims: Claims;
  /** The token as received. */
  readonly text: string;
}

/** The limit of Go for all headers of a request. */
const maxTokenLength = 1 << 20;

/** JWS compact serialisation: https://www.rfc-editor.org/rfc/rfc7515 */
export function signToken(key: SigningKey, claims: Readonly<Record<string, unknown>>): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: key.algorithm, kid: key.id }).sign(key.privateKey);
}

/** A cache with one entry. The result depends on the text alone. */
let last: { readonly text: string; readonly parsed: ParsedToken | undefined } | undefined;

/**
 * Undefined when the text is not a JSON web token. A token has three parts. The first two are objects without repeated members (RFC 7515, section
 * 4; RFC 7519, section 4). Each part has its canonical base64url encoding. Several authenticators parse the same token, so the last result is
 * cached.
 */
export function parseToken(text: string): ParsedToken | undefined {
  if (last?.text !== text) last = { text, parsed: takeApart(text) };
  return last.parsed;
}

function takeApart(text: string): ParsedToken | undefined {
  if (text.length > maxTokenLength) return undefined;
  const first = text.indexOf('.');
  const second = text.indexOf('.', first + 1);
  if (first < 0 || second < 0) return undefined;
  const header = decode(text.slice(0, first));
  if (header === undefined || !isHeader(header) || bytesOf(text.slice(second + 1)) === undefined) return undefined;
  const claims = decode(text.slice(first + 1, second));
  return claims === undefined ? undefined : { header, claims, text };
}

/** Whether the members of a header that mean the same in every token have their types, as in go-jose. */
function isHeader({ alg, kid, nonce, jwk, x5c }: Claims): boolean {
  try {
    [alg, kid, nonce].forEach(asText);
    for (const certificate of asTexts(x5c)) new X509Certificate(Buffer.from(certificate, 'base64'));
    return isAbsent(jwk) || (isRecord(jwk) && jwk['d'] === undefined && isPublicKey(jwk));
  } catch {
    return false;
  }
}

const isPublicKey = (key: JsonWebKey): boolean => createPublicKey({ key, format: 'jwk' }).type === 'public';

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
