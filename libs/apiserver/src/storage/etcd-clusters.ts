import type { EtcdOverride } from '@apichain/apiserver-options';
import {
  connectEtcd,
  createLeaseManager,
  startCompactor,
  type EtcdConnection,
  type LeaseManager,
} from '@apichain/etcd-client';
import { errorMessage, lookupTable, type GroupResource } from '@apichain/meta';
import { type StorageMetrics } from '@apichain/storage';
import type { EtcdOptions } from '../options/server-options.ts';
import type { GenericApiServer } from '../server.ts';

/** One etcd, with the state shared by all resources stored in it. */
export interface EtcdCluster {
  readonly servers: readonly string[];
  /** The flag that names the servers. */
  readonly flag: string;
  readonly connection: EtcdConnection;
  readonly leases: LeaseManager;
}

/** Not part of kube-apiserver's core server. Overrides do not apply: these are always in the etcd of `--etcd-servers`, as custom resources are. */
const neverElsewhere: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);
/** Resources that are stored with another resource: the override of that resource applies to them, as in kube-apiserver. */
const storedWith: Readonly<Record<string, GroupResource>> = lookupTable({
  'events.events.k8s.io': { group: '', resource: 'events' },
  'rangeallocations.': { group: '', resource: 'services' },
});
/** Enough for an etcd that starts at the same time. A longer timeout only delays the error about a wrong address. */
const attemptMs = 1_000;

/** The etcd of a server and, with `--etcd-servers-overrides`, the etcds of single resources. Connects lazily. */
export class EtcdClusters {
  /** The etcd of `--etcd-servers`, then the others, each once, in the order of the flag. */
  readonly all: readonly [EtcdCluster, ...EtcdCluster[]];
  readonly #elsewhere = new Map<string, EtcdCluster>();
  readonly #options: EtcdOptions;
  readonly #readOnly: boolean;

  /** `readOnly`: nothing is ever written to the etcds. */
  constructor(options: EtcdOptions, metrics: StorageMetrics, readOnly = false) {
    this.#options = options;
    this.#readOnly = readOnly;
    const open = (servers: readonly string[], flag: string): EtcdCluster => {
      const { prefix, credentials } = options;
      const connection = connectEtcd({
        metrics,
        servers,
        prefix,
        readOnly,
        credentials,
      });
      const leases = createLeaseManager(connection, { reuseSeconds: options.leaseReuseSeconds });
      return { servers, flag, connection, leases };
    };
    const others = new Map<string, EtcdCluster>();
    const clusterOf = ({ servers }: EtcdOverride): EtcdCluster => {
      const key = servers.toSorted().join(';');
      const made = others.get(key) ?? open(servers, '--etcd-servers-overrides');
      others.set(key, made);
      return made;
    };
    for (const override of options.overrides) this.#elsewhere.set(keyOf(override), clusterOf(override));
    this.all = [open(options.servers, '--etcd-servers'), ...others.values()];
  }

  /** The etcd of a resource. */
  of(resource: GroupResource): EtcdCluster {
    const [main] = this.all;
    if (this.#elsewhere.size === 0 || neverElsewhere.has(resource.group)) return main;
    const stored = storedWith[keyOf(resource)] ?? resource;
    return this.#elsewhere.get(keyOf(stored)) ?? this.#elsewhere.get(keyOf({ ...stored, resource: '*' })) ?? main;
  }

  /** Throws Error that names the servers when an etcd does not respond: a server should not start without its etcd. */
  async waitForAll(timeoutMs: number): Promise<void> {
    await Promise.all(this.all.map((cluster) => waitFor(cluster, timeoutMs)));
  }

  /** Adds health checks of each etcd to a server, and the compaction loops. Source: the file that `etcdOverrides` names. */
  attach(server: GenericApiServer): void {
    const { healthTimeoutMs, readyTimeoutMs, compactionIntervalMs } = this.#options;
    const onError = (error: unknown) => server.config.logger.warn({ err: error }, 'etcd could not be compacted');
    this.all.forEach(({ connection }, index) => {
      const [name, readiness] =
        index === 0
          ? ['etcd', 'etcd-readiness']
          : [`etcd-override-${index - 1}`, `etcd-override-readiness-${index - 1}`];
      server.health.add({ name, group: 'etcd', check: () => connection.checkHealth(healthTimeoutMs) });
      server.health.add(
        { name: readiness, group: 'etcd-readiness', check: () => connection.checkHealth(readyTimeoutMs) },
        ['readyz'],
      );
      if (this.#readOnly) return;
      const compactor = startCompactor(connection, compactionIntervalMs, onError);
      server.stopping.addEventListener('abort', () => void compactor.stop());
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(({ connection }) => connection.close()));
  }
}

const keyOf = ({ group, resource }: GroupResource): string => `${resource}.${group}`;

async function waitFor({ servers, flag, connection }: EtcdCluster, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      await connection.checkHealth(Math.max(1, Math.min(attemptMs, deadline - Date.now())));
      return;
    } catch (error) {
      if (Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        continue;
      }
      const why = errorMessage(error);
      throw new Error(`etcd does not respond at ${servers.join(', ')} (${why}): start it or correct ${flag}`);
    }
  }
}
