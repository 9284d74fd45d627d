import type { UserInfo } from './user.ts';

/**
 * The header for a user between the servers of the chain, when the X-Remote headers cannot carry the user unchanged: names with leading or
 * trailing blanks, control characters, more groups than a request may have headers. Base64 of JSON.
 */
export const chainIdentityHeader = 'X-Apichain-Identity';

/** A user as the value of `chainIdentityHeader`: base64 of JSON, so that any name passes unchanged. */
export function encodeIdentity({ name, uid, groups, extra }: UserInfo): string {
  return Buffer.from(JSON.stringify([name, uid, groups, Object.entries(extra)])).toString('base64');
}

/** Throws Error when the header is malformed. */
export function decodeIdentity(header: string): UserInfo {
  const parts: unknown = JSON.parse(Buffer.from(header, 'base64').toString());
  if (!Array.isArray(parts)) throw new Error('invalid identity');
  const [name, uid, groups, extra] = parts as readonly unknown[];
  if (typeof name !== 'string' || name === '' || typeof uid !== 'string' || !isTexts(groups) || !isExtra(extra))
    throw new Error('invalid identity');
  return { name, uid, groups, extra: Object.fromEntries(extra) };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');

const isExtra = (value: unknown): value is [string, string[]][] =>
  Array.isArray(value) &&
  value.every(
    (entry) => Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string' && isTexts(entry[1]),
  );
