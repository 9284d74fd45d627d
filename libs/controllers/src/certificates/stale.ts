import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import { pemBlocks } from '@apichain/meta';
import { hasCondition, isIssued } from './request-state.ts';

const hourMs = 3_600_000;
const settledMs = hourMs;
const pendingMs = 24 * hourMs;

/** Whether a request has been left alone for so long that it is deleted. Source: k8s.io/kubernetes/pkg/controller/certificates/cleaner. */
export function isStale(request: CertificateSigningRequest, now: number): boolean {
  const { metadata, status } = request;
  const conditions = status?.conditions ?? [];
  const isOlder = (time: string | null | undefined, ageMs: number) =>
    time !== undefined && time !== null && now - Date.parse(time) > ageMs;
  if (conditions.length === 0) return isOlder(metadata.creationTimestamp, pendingMs);
  if (hasCondition(request, 'Approved') && isIssued(request) && hasExpired(status?.certificate ?? '', now)) return true;
  const limits: Readonly<Record<string, number>> = {
    Denied: settledMs,
    Failed: settledMs,
    Approved: isIssued(request) ? settledMs : pendingMs,
  };
  return conditions.some(({ type = '', lastUpdateTime }) => {
    const limit = limits[type];
    return limit !== undefined && isOlder(lastUpdateTime, limit);
  });
}

/** Whether an issued certificate has expired. A text that is no certificate never does. */
function hasExpired(certificate: string, now: number): boolean {
  const [first] = pemBlocks(Buffer.from(certificate, 'base64').toString('latin1'));
  try {
    return first !== undefined && new X509Certificate(first.bytes).validToDate.getTime() < now;
  } catch {
    return false;
  }
}
