import type { Lease, LeaseSpec } from '@apichain/api/coordination/v1';
import { formatMicroTime } from '@apichain/go-text';
import { isStatusError, sleep } from '@apichain/meta';
import { type Logger, errorText } from './log.ts';
import type { RestClient } from './rest-client.ts';

/** Who takes part in an election, and for how long a lease holds. */
interface LeaderElectionOptions {
  readonly client: RestClient;
  /** Ends the candidacy, and releases the lease if it is held. */
  readonly signal: AbortSignal;
  /** The identity of this replica; unique among replicas. */
  readonly identity: string;
  /** The namespace of the Lease. */
  readonly namespace: string;
  readonly name: string;
  /** How long other replicas wait after the last renewal that they observed. */
  readonly leaseDurationMs: number;
  /** A leader that has failed to renew the lease for this long stops leading. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly log: Logger;
  /** Called whenever another replica is seen to hold the lease. */
  readonly onStandby?: () => void;
}

const resource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const jitter = 1.2;
const maxReleaseTries = 3;

/**
 * Waits until this replica is the leader, then runs `lead`. The signal passed to `lead` is aborted when leadership ends. Resolves to
 * `stopped` after `signal`, and to `lost` when the lease could not be renewed in time: another replica may then be leading already.
 * Source: https://pkg.go.dev/k8s.io/client-go/tools/leaderelection
 */
export async function runWhileLeading(
  options: LeaderElectionOptions,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<'stopped' | 'lost'> {
  const candidate = new Candidate(options);
  const { signal, log, identity } = options;
  while (!signal.aborted && !(await candidate.tryToLead()))
    await sleep(options.retryPeriodMs * (1 + Math.random() * (jitter - 1)), signal);
  if (signal.aborted) return 'stopped';
  log.info('became leader', { identity });
  const leading = new AbortController();
  const work = lead(leading.signal);
  const outcome = await candidate.keepLeading();
  leading.abort();
  await work;
  if (outcome === 'stopped') await candidate.release();
  else log.error('leadership was lost', { identity });
  return outcome;
}

class Candidate {
  readonly #options: LeaderElectionOptions;
  /**
   * The last observed content of the lease, and the local time of that observation. Local times are used because the clocks of replicas may
   * differ.
   */
  #observed: { readonly text: string; readonly at: number } = { text: '', at: 0 };

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
  }

  /** Acquires or renews the lease. Returns false when another replica holds it or the server is unreachable. */
  async tryToLead(): Promise<boolean> {
    try {
      return await this.#acquireOrRenew();
    } catch (error) {
      // Another candidate was faster, or the server is unreachable.
      if (!isStatusError(error, 'Conflict') && !isStatusError(error, 'AlreadyExists') && !this.#options.signal.aborted)
        this.#options.log.error('lease could not be acquired or renewed', { error: errorText(error) });
      return false;
    }
  }

  async keepLeading(): Promise<'stopped' | 'lost'> {
    const { signal, retryPeriodMs, renewDeadlineMs } = this.#options;
    let renewed = performance.now();
    while (!signal.aborted) {
      await sleep(retryPeriodMs, signal);
      if (signal.aborted) break;
      const left = renewDeadlineMs - (performance.now() - renewed);
      const deadline = sleep(Math.max(0, left), signal).then(() => false);
      const started = performance.now();
      if (await Promise.race([this.tryToLead(), deadline])) renewed = started;
      else if (performance.now() - renewed >= renewDeadlineMs) return 'lost';
    }
    return 'stopped';
  }

  /** Releases the lease, so that another replica can lead immediately. */
  async release(): Promise<void> {
    const { log } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#release();
      } catch (error) {
        // A renewal that was under way when leadership ended may have come in between.
        if (isStatusError(error, 'Conflict') && tries < maxReleaseTries) continue;
        return log.error('lease could not be released', { error: errorText(error) });
      }
    }
  }

  async #release(): Promise<void> {
    const { client, identity } = this.#options;
    const lease = await this.#get();
    const spec = lease?.spec ?? {};
    if (lease === undefined || spec.holderIdentity !== identity) return;
    const now = formatMicroTime(new Date());
    const released = { ...spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
    await client.update(this.#ref(), { ...lease, spec: released });
  }

  async #acquireOrRenew(): Promise<boolean> {
    const { client, identity, namespace, name, leaseDurationMs } = this.#options;
    const now = formatMicroTime(new Date());
    const ours = { holderIdentity: identity, leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000), renewTime: now };
    const lease = await this.#get();
    // An attempt that was under way at the end must not take back the lease that is being released.
    if (this.#options.signal.aborted) return false;
    if (lease === undefined) {
      const spec = { ...ours, acquireTime: now, leaseTransitions: 0 };
      const metadata = { name, namespace };
      await client.create(this.#ref(), { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
      return true;
    }
    const spec = lease.spec ?? {};
    const isOurs = spec.holderIdentity === identity;
    if (!isOurs && this.#isHeld(spec)) {
      this.#options.onStandby?.();
      return false;
    }
    const { acquireTime = now, leaseTransitions = 0 } = spec;
    const since = isOurs
      ? { acquireTime, leaseTransitions }
      : { acquireTime: now, leaseTransitions: leaseTransitions + 1 };
    await client.update(this.#ref(), { ...lease, spec: { ...spec, ...ours, ...since } });
    return true;
  }

  /** A lease is held as long as it changes within its duration. */
  #isHeld(spec: LeaseSpec): boolean {
    const text = JSON.stringify([spec.holderIdentity, spec.renewTime, spec.acquireTime, spec.leaseTransitions]);
    if (text !== this.#observed.text) this.#observed = { text, at: performance.now() };
    if (spec.holderIdentity === undefined || spec.holderIdentity === '') return false;
    const { leaseDurationSeconds = this.#options.leaseDurationMs / 1000 } = spec;
    return performance.now() - this.#observed.at < leaseDurationSeconds * 1000;
  }

  async #get(): Promise<Lease | undefined> {
    try {
      return await this.#options.client.get(this.#ref(), this.#options.name);
    } catch (error) {
      if (isStatusError(error) && error.code === 404) return undefined;
      throw error;
    }
  }

  #ref() {
    return { ...resource, namespace: this.#options.namespace };
  }
}
