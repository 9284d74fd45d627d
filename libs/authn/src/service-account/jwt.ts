import { sign, verify } from 'node:crypto';
import type { SigningAlgorithm, SigningKey, VerificationKey } from './keys.ts';

/** A signed token taken apart; nothing about it has been checked. */
export interface ParsedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

const digests: Readonly<Record<SigningAlgorithm, string>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
};

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** JWS compact serialisation: https://www.rfc-editor.org/rfc/rfc7515 */
export function signToken(key: SigningKey, claims: Readonly<Record<string, unknown>>): string {
  const text = `${encode({ alg: key.algorithm, kid: key.id })}.${encode(claims)}`;
  const { privateKey } = key;
  const signature = sign(digests[key.algorithm], Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** Undefined when the text is no JSON web token. */
export function parseToken(token: string): ParsedToken | undefined {
  const [head, body, signature, ...rest] = token.split('.');
  if (head === undefined || body === undefined || signature === undefined || rest.length > 0) return undefined;
  const header = decode(head);
  const claims = decode(body);
  if (header === undefined || claims === undefined) return undefined;
  return { header, claims, signed: Buffer.from(`${head}.${body}`), signature: Buffer.from(signature, 'base64url') };
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether the key has signed the token; the algorithm is the key's, whatever the token says. */
export function isSignedBy(token: ParsedToken, { algorithm, key }: VerificationKey): boolean {
  if (token.header['alg'] !== algorithm) return false;
  return verify(digests[algorithm], token.signed, { key, dsaEncoding: 'ieee-p1363' }, token.signature);
}
