import { WorkQueue } from '@apichain/client';
import { currentTime, isStatusError } from '@apichain/meta';
import { type ControllerContext, type Running, runQueue } from '../context.ts';
import { certificateSigningRequests } from './request-state.ts';
import { isStale } from './stale.ts';

const intervalMs = 3_600_000;

/** Deletes requests, once an hour, that nobody needs any more. */
export function certificateCleaner(context: ControllerContext): Running {
  const { client } = context;
  const requests = context.informer(certificateSigningRequests);
  const queue = new WorkQueue();
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

  return runQueue(context, {
    name: 'certificatesigningrequest-cleaner-controller',
    informers: [requests],
    queue,
    workers: 1,
    reconcile,
  });
}
