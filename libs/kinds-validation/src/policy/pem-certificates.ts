import { X509Certificate } from 'node:crypto';

/** undefined for bytes that are no certificate. */
export function certificateOf(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}
