import { errorMessage, lookupTable } from '@apichain/meta';
import type { GroupResource } from '@apichain/meta';
import {
  connectEtcd,
  createLeaseManager,
  startCompactor,
  type EtcdConnection,
  type LeaseManager,
  type StorageMetrics,
} from '@apichain/storage';
import type { EtcdOverride } from '@apichain/apiserver-options';
import type { EtcdOptions } from '../options/server-options.ts';
import type { GenericApiServer } from '../server.ts';

/** One etcd, with what is kept of it for all resources that lie there. */
export interface EtcdCluster {
  readonly servers: readonly string[];
  /** The flag that names them. */
  readonly flag: string;
  readonly connection: EtcdConnection;
  readonly leases: LeaseManager;
}

/** Not compiled into kube-apiserver's core server: these always lie in the etcd of `--etcd-servers`, as custom resources do. */
const neverElsewhere: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);
/** Resources that lie where another one does: its override is theirs. */
const storedWith: Readonly<Record<string, GroupResource>> = lookupTable({
  'events.events.k8s.io': { group: '', resource: 'events' },
  'rangeallocations.': { group: '', resource: 'servicenodeportallocations' },
});
/** An etcd that starts at the same time is there by then; who waits longer only hides that the address is wrong. */
const attemptMs = 1_000;

/** The etcd of a server and, with `--etcd-servers-overrides`, those of single resources. Connects lazily. */
export class EtcdClusters {
  /** The one of `--etcd-servers`, then the others, each once, in the order of the flag. */
  readonly all: readonly [EtcdCluster, ...EtcdCluster[]];
  readonly #elsewhere = new Map<string, EtcdCluster>();
  readonly #options: EtcdOptions;

  constructor(options: EtcdOptions, metrics: StorageMetrics) {
    this.#options = options;
    const open = (servers: readonly string[], flag: string): EtcdCluster => {
      const { prefix, credentials } = options;
      const connection = connectEtcd({
        metrics,
        servers,
        prefix,
        ...(credentials === undefined ? {} : { credentials }),
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

  /** Where a resource lies. */
  of(resource: GroupResource): EtcdCluster {
    const [main] = this.all;
    if (this.#elsewhere.size === 0 || neverElsewhere.has(resource.group)) return main;
    const stored = storedWith[keyOf(resource)] ?? resource;
    return this.#elsewhere.get(keyOf(stored)) ?? this.#elsewhere.get(keyOf({ ...stored, resource: '*' })) ?? main;
  }

  /** Throws Error that names the servers when one of them does not answer: a server should not start on an etcd that is not there. */
  async waitForAll(timeoutMs: number): Promise<void> {
    await Promise.all(this.all.map((cluster) => waitFor(cluster, timeoutMs)));
  }

  /** Adds checks of each etcd to a server, and the loops that compact them. Source: the file that `etcdOverrides` names. */
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
      throw new Error(`etcd does not answer at ${servers.join(', ')} (${why}): start it or correct ${flag}`);
    }
  }
}
