import { X509Certificate } from 'node:crypto';

/** Parses a certificate; undefined when the bytes are not one. */
export function certificateOf(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}
