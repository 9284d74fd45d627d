import { formatGoTime } from '@apichain/go-text';

const minuteMs = 60_000;
const backdateMs = 5 * minuteMs;
/** The end of a certificate with a shorter life is not moved back with its beginning. */
const shortMs = 8 * 60 * minuteMs;
const shortestMs = 10 * minuteMs;

/** The authority that signs, and how long its certificates live at most. */
interface SignerLimits {
  readonly durationMs: number;
  /** When the certificate of the authority ends, in milliseconds since the epoch. */
  readonly authorityEnds: number;
}

/**
 * From when to when a certificate is valid that is signed now and was requested for some seconds, or for as long as possible. Throws Error when the
 * authority has expired.
 * Source: PermissiveSigningPolicy in k8s.io/kubernetes/pkg/controller/certificates/authority.
 */
export function validityOf(
  now: number,
  requestedSeconds: number | undefined,
  { durationMs, authorityEnds }: SignerLimits,
): { notBefore: Date; notAfter: Date } {
  if (now >= authorityEnds)
    throw new Error(
      `refusing to sign a certificate that expired in the past: NotAfter=${formatGoTime(authorityEnds / 1000)}`,
    );
  const requestedMs = requestedSeconds === undefined ? durationMs : Math.max(requestedSeconds * 1_000, shortestMs);
  const lifeMs = Math.min(requestedMs, durationMs);
  const end = now + (lifeMs < shortMs ? lifeMs : lifeMs - backdateMs);
  return { notBefore: new Date(now - backdateMs), notAfter: new Date(Math.min(end, authorityEnds)) };
}
