import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { runWhileLeading, silentLogger } from '@apichain/client';
import { type StartSchedulerOptions, startScheduler } from './start.ts';

/** Leader election with the durations of kube-scheduler. */
interface RunSchedulerOptions extends StartSchedulerOptions {
  /** The identity of this replica; unique among replicas. Default: host name and a random part. */
  readonly identity?: string;
  readonly retryPeriodMs?: number;
  /** Called when the scheduler knows the cluster and schedules. */
  readonly onLeading?: () => void;
}

/**
 * Runs a scheduler while it holds the Lease of kube-scheduler, so that only one of them works, ours or the original. Resolves to `stopped` after `signal`,
 * and to `lost` when the lease could not be renewed in time.
 */
export function runScheduler(options: RunSchedulerOptions): Promise<'stopped' | 'lost'> {
  const { client, signal, log = silentLogger, identity = `${hostname()}_${randomUUID()}` } = options;
  const { retryPeriodMs = 2_000, onLeading } = options;
  const durations = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs };
  return runWhileLeading(
    { client, signal, log, identity, ...durations, namespace: 'kube-system', name: 'kube-scheduler' },
    async (leading) => {
      const { synced, stopped } = startScheduler({ ...options, signal: leading });
      void synced.then(onLeading);
      await stopped;
    },
  );
}
