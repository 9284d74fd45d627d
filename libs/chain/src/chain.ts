import { aggregatorFlags, createAggregatorServer } from '@apichain/server-aggregator';
import { apiExtensionsFlags, completeOptions, createApiExtensionsServer } from '@apichain/server-apiextensions';
import { type Audit } from '@apichain/audit';
import { auditOf, FollowedRights, parseFlags } from '@apichain/apiserver-options';
import { type DelegationTarget, InProcessDelegationTarget } from '@apichain/delegation';
import { type Filter, type Logger, type RequestObserver } from '@apichain/request';
import { type GenericApiServer, type ReadOnlyServing, type ServerActivity } from '@apichain/apiserver';
import { maskedSecret } from '@apichain/kinds/model';
import type { Transport } from '@apichain/client';
import { createKubeCoreServer, kubeCoreFlags, kubeCoreOptions } from '@apichain/server-core';
import { LateStores } from '@apichain/storage';
import type { Worker } from '@apichain/workers';

/** Options of `startInProcessChain`. */
export interface InProcessChainOptions {
  /** Flags of kube-apiserver, for all three servers: `--etcd-servers=...`, `--secure-port=0`, `--tls-cert-file=...` */
  readonly flags: readonly string[];
  /** Further flags of the first server. */
  readonly aggregatorFlags?: readonly string[];
  readonly logger: (service: string) => Logger;
  /** Called when a server cannot continue, e.g. because a post-start hook failed. */
  readonly onFatal: (error: Error) => void;
  /** Replaces the audit that the flags configure. */
  readonly audit?: Audit;
  /** Filters of the first server, which every client request passes after authentication. */
  readonly filters?: readonly Filter[];
  /** Told of each finished request of a client. */
  readonly requestObservers?: readonly RequestObserver[];
  /**
   * The servers only show what is stored in etcd: they write nothing, have no objects of their own and reach no other server. The values of Secrets
   * are masked unless `showSecrets` is true.
   */
  readonly readOnly?: { readonly showSecrets: boolean };
  /** This process, where several serve together. */
  readonly worker?: Worker;
}

/** The three servers of the chain in this process; only the first has a port. */
export interface InProcessChain {
  readonly port: number;
  /** Warnings about flags that have no effect in any of the servers. */
  readonly warnings: readonly string[];
  /** Resolves when all servers have started and /readyz succeeds. A server that cannot start is reported to `onFatal`. */
  ready(): Promise<void>;
  /** Resolves when the servers have also done what follows their start, so that they write nothing of their own for now. */
  rested(): Promise<void>;
  /** How many requests each server had, and how many objects it has. */
  activity(): Promise<readonly ServerActivity[]>;
  /** A transport to the first server without a connection, with full permissions. The caller closes it. */
  connect(userAgent?: string): Transport;
  /**
   * Resolves when every server decides by the RBAC objects, webhook configurations and policies that were written before the call. Without it, a
   * server may be a moment behind, as kube-apiserver is. Rejects with the errors of a read.
   */
  upToDate(): Promise<void>;
  /**
   * Completes requests in progress, for at most `patienceMs` milliseconds in each server (default: the request timeout). Ends watches, closes the
   * port and the connections to etcd.
   */
  stop(patienceMs?: number): Promise<void>;
}

/**
 * Starts the three servers. Throws FlagError for an invalid flag, Error with a one-line message when etcd does not respond, Node's error when the
 * port cannot be opened.
 */
export async function startInProcessChain(options: InProcessChainOptions): Promise<InProcessChain> {
  const { flags, logger, onFatal, filters, requestObservers, readOnly, worker, aggregatorFlags: more = [] } = options;
  const parsed = {
    apiextensions: parseFlags(apiExtensionsFlags, flags),
    kubeCore: parseFlags(kubeCoreFlags, flags),
    aggregator: parseFlags(aggregatorFlags, [...flags, ...more]),
  };
  /** In the order of their start; they are stopped in reverse order. */
  const servers: GenericApiServer[] = [];
  const stop = async (patienceMs?: number) => {
    for (const server of servers.toReversed()) await server.shutdown(patienceMs);
  };
  try {
    const log = { apiextensions: logger('apiextensions'), kubeCore: logger('kube-core') };
    const { audit = auditOf(parsed.aggregator, logger('aggregator'), worker) } = options;
    // The servers share one copy of the RBAC objects, read from the core server's store.
    const stores = new LateStores();
    const shared = {
      rights: new FollowedRights(),
      audit,
      worker,
      ...(readOnly === undefined ? {} : { readOnly: readOnlyServing(readOnly.showSecrets) }),
    };
    const apiextensions = createApiExtensionsServer(
      await completeOptions(parsed.apiextensions, onFatal, undefined, log.apiextensions, {
        ...shared,
        stores: stores.open,
      }),
    );
    servers.push(apiextensions);
    const kubeCore = await createKubeCoreServer(
      await kubeCoreOptions(parsed.kubeCore, {
        delegate: linkTo(apiextensions),
        logger: log.kubeCore,
        onFatal,
        stores,
        ...shared,
      }),
    );
    servers.push(kubeCore);
    const aggregator = await createAggregatorServer(parsed.aggregator, {
      delegate: linkTo(kubeCore),
      logger: logger('aggregator'),
      onFatal,
      stores: stores.open,
      ...shared,
      filters,
      requestObservers,
    });
    servers.push(aggregator);
    const listening = aggregator.listen(servers);
    // Another worker opens its port when all servers have started, and knows it before.
    if (worker?.opensEarly !== false) await listening;
    for (const server of [apiextensions, kubeCore]) server.startWithoutPort(aggregator.loopback.url);
    const { port } = await listening;
    const [first = [], ...others] = Object.values(parsed).map(({ warnings }) => warnings);
    return {
      port,
      warnings: first.filter((warning) => others.every((list) => list.includes(warning))),
      ready: async () => {
        await Promise.all(servers.map((server) => server.started));
        await checkReady(linkTo(aggregator));
      },
      rested: async () => {
        await Promise.all(servers.map((server) => server.rested));
      },
      activity: async () => (await Promise.all(servers.map((server) => server.activity()))).flat(),
      connect: (userAgent) => aggregator.loopback.connect(userAgent),
      upToDate: async () => {
        await Promise.all([shared.rights.roles.copy.refresh(), ...servers.map((server) => server.refreshFollowed())]);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const readOnlyServing = (showSecrets: boolean): ReadOnlyServing => ({
  shown: ({ group, resource }) => (!showSecrets && group === '' && resource === 'secrets' ? maskedSecret : undefined),
});

const linkTo = (server: GenericApiServer): DelegationTarget => new InProcessDelegationTarget(server);

/** Throws Error with the checks that failed. */
async function checkReady(entry: DelegationTarget): Promise<void> {
  const { status, body } = await entry.fetch('/readyz');
  if (status !== 200) throw new Error(`the chain is not ready: ${body.toString()}`);
}
