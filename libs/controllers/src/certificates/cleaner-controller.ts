import { currentTime, isStatusError } from '@apichain/meta';
import type { ControllerContext, Running } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { certificateSigningRequests } from './request-state.ts';
import { isStale } from './stale.ts';

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
