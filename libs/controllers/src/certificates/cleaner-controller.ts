import { currentTime, isStatusError, pemBlocks } from '@apichain/meta';
import type { ControllerContext, Running } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { certificateSigningRequests, hasCondition, isIssued } from './request-state.ts';
import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';

const intervalMs = 3_600_000;

/** Deletes requests, once an hour, that nobody needs any more. */
export function certificateCleaner(context: ControllerContext): Running {
  const { client } = context;
  const { queue, informer, run } = controllerParts(context, 'certificatesigningrequest-cleaner-controller');
  const requests = informer(certificateSigningRequests);
  const round = 'all requests';
  queue.add(round);

  async function reconcile(): Promise<void> {
    queue.addAfter(round, intervalMs);
    for (const request of requests.list().filter((each) => isStale(each, currentTime()))) {
      try {
        await client.delete(certificateSigningRequests, request.metadata.name ?? '');
      } catch (error) {
        if (!isStatusError(error, 'NotFound')) throw error;
      }
    }
  }

  return run(reconcile);
}

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
