import { isUtf8 } from 'node:buffer';
import { isRecord, JsonSyntaxError, parseJsonStrict } from '@apichain/meta';
import { JOSEError } from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import { SignJWT } from 'jose/jwt/sign';
import type { SigningKey, VerificationKey } from './keys.ts';

/** A signed token taken apart; nothing about it has been checked but its form. */
export interface ParsedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The token as it came. */
  readonly text: string;
}

/** As long as all headers of a request of Go's may be. */
const maxTokenLength = 1 << 20;

/** JWS compact serialisation: https://www.rfc-editor.org/rfc/rfc7515 */
export function signToken(key: SigningKey, claims: Readonly<Record<string, unknown>>): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: key.algorithm, kid: key.id }).sign(key.privateKey);
}

/** A cache of one: what it answers follows from the text alone. */
let last: { readonly text: string; readonly parsed: ParsedToken | undefined } | undefined;

/**
 * Undefined when the text is no JSON web token: three parts, the first two of them objects none of which names a member twice (RFC 7515,
 * section 4; RFC 7519, section 4), each encoded in the one way in which it can be. Every authenticator asks for itself, so the last answer is
 * kept.
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
  if (header === undefined || bytesOf(text.slice(second + 1)) === undefined) return undefined;
  const claims = decode(text.slice(first + 1, second));
  return claims === undefined ? undefined : { header, claims, text };
}

/** Undefined for what is not the base64url form of the bytes: other characters, padding, bits that no byte has. */
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

/** Whether the key has signed the token; the algorithm is the key's, whatever the token says. */
export async function isSignedBy(token: ParsedToken, { algorithm, key }: VerificationKey): Promise<boolean> {
  return token.header['alg'] === algorithm && (await verifies(token, key, algorithm));
}

/**
 * Whether the key has signed the token with this algorithm. False also for a header that wants more of its reader than is known here (`crit`),
 * for a payload that is not encoded (`b64`), and for a key of another kind or curve than the algorithm's, or too short for it.
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

/** jose and WebCrypto tell with these that a key does not fit, or is none. */
export const isKeyError = (error: unknown): boolean => error instanceof TypeError || error instanceof DOMException;
