import { errorText, runWorkers, WorkQueue } from '@apichain/client';
import { currentTimestamp, sleepByClock, untilAborted, type OwnerReference } from '@apichain/meta';
import { NoKindMatchError, RestMapper } from '@apichain/rest-mapper';
import type { ControllerContext, Running } from '../context.ts';
import { Collector, NotObservedError } from './collector.ts';
import { DependencyGraph, type GraphNode } from './graph.ts';
import { formatIdentity, ownerIdentity } from './identity.ts';
import { Monitors } from './monitors.ts';
import { NamespacedOwnerError } from './references.ts';

/** Changes of the served types trigger discovery. The periodic rediscovery finds changes that were missed. */
const rediscoveryMs = 300_000;
/** Rediscovery period while a server is unreachable. */
const staleRediscoveryMs = 30_000;
/**
 * Delays of discovery after a change of the served types: discovery lags behind the CRD, and the availability of an extension server lags
 * behind its APIService.
 */
const settleMs = [150, 1_000, 5_000];
const firstDiscoveryRetryMs = 500;

/**
 * Deletes objects whose owners are gone, and implements foreground and orphan deletion.
 * Source: https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export function garbageCollector(context: ControllerContext): Running {
  const collector = new GarbageCollector(context);
  return { synced: collector.synced, stopped: collector.run() };
}

class GarbageCollector {
  readonly #context: ControllerContext;
  readonly #deletions = new WorkQueue();
  readonly #orphans = new WorkQueue();
  readonly #graph: DependencyGraph;
  readonly #mapper = new RestMapper();
  readonly #monitors: Monitors;
  readonly #synced = Promise.withResolvers<void>();
  readonly #refreshes = new WorkQueue();
  /** The names of the CRDs and APIServices whose types have been discovered. */
  #served: ReadonlySet<string> = new Set();
  #hasSynced = false;
  #hasStale = false;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#graph = new DependencyGraph({
      attemptToDelete: ({ identity }) => this.#deletions.add(identity.uid),
      attemptToDeleteLater: ({ identity }) => this.#deletions.addRateLimited(identity.uid),
      attemptToOrphan: ({ identity }) => this.#orphans.add(identity.uid),
      invalidNamespace: (dependent, owner) => void this.#reportInvalidNamespace(dependent, owner),
    });
    this.#monitors = new Monitors(
      context,
      this.#graph,
      () => this.#typesChanged(),
      (name) => this.#served.has(name),
    );
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  async run(): Promise<void> {
    const { client, settings, signal } = this.#context;
    const ended = untilAborted(signal).then(() => this.#shutDown());
    const collector = new Collector(client, this.#mapper, this.#graph);
    await this.#firstDiscovery();
    this.#synced.resolve();
    await Promise.all([
      ended,
      runWorkers(this.#refreshes, 1, () => this.#refresh(), this.#logError('discovery')),
      this.#rediscoverPeriodically(),
      runWorkers(
        this.#deletions,
        settings['concurrent-gc-syncs'],
        (uid) => forgive(collector.attemptToDelete(uid)),
        this.#logError('deletion'),
      ),
      runWorkers(this.#orphans, 4, (uid) => collector.orphanDependents(uid), this.#logError('orphaning')),
    ]);
  }

  async #shutDown(): Promise<void> {
    for (const queue of [this.#deletions, this.#orphans, this.#refreshes]) queue.shutDown();
    await this.#monitors.stop();
  }

  async #firstDiscovery(): Promise<void> {
    const { signal, log } = this.#context;
    while (!signal.aborted) {
      try {
        return await this.#refresh();
      } catch (error) {
        log.error('discovery failed, will be tried again', { error: errorText(error) });
        await sleepByClock(firstDiscoveryRetryMs, signal, 'retry');
      }
    }
  }

  async #refresh(): Promise<void> {
    const { resources, preferred, stale } = await this.#context.discovery.fresh();
    this.#hasStale = stale.length > 0;
    this.#served = new Set(
      resources.flatMap(({ group, version, resource }) => [`${resource}.${group}`, `${version}.${group}`]),
    );
    // The resources of an unavailable server are unknown. Its existing watches are kept until the server responds again.
    if (stale.length > 0 && this.#hasSynced) {
      this.#context.log.error('some groups could not be discovered', { groupVersions: stale });
      for (const resource of resources) this.#mapper.add(resource);
      await this.#monitors.watchAlso(preferred);
      return;
    }
    this.#mapper.replace(resources);
    await this.#monitors.watch(preferred);
    this.#hasSynced = true;
  }

  async #rediscoverPeriodically(): Promise<void> {
    const { signal } = this.#context;
    for (let slept = 0; !signal.aborted; slept += staleRediscoveryMs) {
      await sleepByClock(staleRediscoveryMs, signal, 'check');
      if (!this.#hasStale && slept < rediscoveryMs) continue;
      slept = 0;
      this.#refreshes.add('');
    }
  }

  #typesChanged(): void {
    for (const delay of settleMs) this.#refreshes.addAfter(`after ${delay} ms`, delay, 'retry');
  }

  #logError(what: string): (key: string, error: unknown) => void {
    return (key, error) => {
      if (error instanceof NotObservedError || this.#context.signal.aborted) return;
      if (error instanceof NoKindMatchError) this.#refreshes.addAfter('unknown kind', 1_000, 'retry');
      const node = this.#graph.get(key);
      const item = node === undefined ? key : formatIdentity(node.identity);
      this.#context.log.error(`${what} failed, will be tried again`, { item, error: errorText(error) });
    };
  }

  async #reportInvalidNamespace(dependent: GraphNode, owner: OwnerReference): Promise<void> {
    const { namespace, apiVersion, kind, name, uid } = dependent.identity;
    const wanted = formatIdentity(ownerIdentity(owner, namespace));
    const message = `ownerRef ${wanted} does not exist in namespace ${JSON.stringify(namespace)}`;
    const { client, log } = this.#context;
    log.info('item references an owner of another namespace', { item: formatIdentity(dependent.identity), message });
    const now = currentTimestamp();
    const home = namespace === '' ? 'default' : namespace;
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { generateName: `${name}.`, namespace: home },
      involvedObject: { apiVersion, kind, name, uid, ...(namespace === '' ? {} : { namespace }) },
      reason: 'OwnerRefInvalidNamespace',
      message,
      type: 'Warning',
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
      source: { component: 'garbage-collector-controller' },
      reportingComponent: 'garbage-collector-controller',
    };
    await client
      .create({ group: '', version: 'v1', resource: 'events', namespace: home }, event)
      .catch((error: unknown) => log.error('event was not recorded', { error: errorText(error) }));
  }
}

/** Ignores an error that a retry would not fix. */
async function forgive(attempt: Promise<void>): Promise<void> {
  await attempt.catch((error: unknown) => {
    if (!(error instanceof NamespacedOwnerError)) throw error;
  });
}
