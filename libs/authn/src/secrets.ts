import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares texts of any length in constant time, so that the duration does not reveal how much of a secret matches. */
export function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
