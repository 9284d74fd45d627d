import { aggregatorFlags, createAggregatorServer } from '@apichain/server-aggregator';
import { apiExtensionsFlags, completeOptions, createApiExtensionsServer } from '@apichain/server-apiextensions';
import { type Audit } from '@apichain/audit';
import { auditOf, FollowedRights, parseFlags } from '@apichain/apiserver-options';
import { type DelegationTarget, InProcessDelegationTarget } from '@apichain/delegation';
import { type Filter, type Logger } from '@apichain/request';
import { type GenericApiServer } from '@apichain/apiserver';
import type { Transport } from '@apichain/client';
import { createKubeCoreServer, kubeCoreFlags, kubeCoreOptions } from '@apichain/server-core';
import { LateStores } from '@apichain/storage';

/** Options of `startInProcessChain`. */
export interface InProcessChainOptions {
  /** kube-apiserver's, for all three servers: `--etcd-servers=...`, `--secure-port=0`, `--tls-cert-file=...` */
  readonly flags: readonly string[];
  readonly logger: (service: string) => Logger;
  /** A server cannot go on, e.g. because a post-start hook failed. */
  readonly onFatal: (error: Error) => void;
  /** Instead of what the audit flags ask for. */
  readonly audit?: Audit;
  /** Filters of the first server, after authentication: every request of a client passes them. */
  readonly filters?: readonly Filter[];
}

/** The three servers of the chain in this process; only the first has a port. */
export interface InProcessChain {
  readonly port: number;
  /** What every server says about flags that have no effect. */
  readonly warnings: readonly string[];
  /** Resolves when everything has started and /readyz says so; what cannot start is told to `onFatal`. */
  ready(): Promise<void>;
  /** Into the first server without a connection, with full rights. The caller closes it. */
  connect(userAgent?: string): Transport;
  /**
   * Answers what is under way, for `patienceMs` milliseconds in each server (a request's time unless it is given), ends watches, closes the port
   * and the connections to etcd.
   */
  stop(patienceMs?: number): Promise<void>;
}

/** Throws FlagError for a bad flag, Error in one line when etcd does not answer, Node's error when the port cannot be opened. */
export async function startInProcessChain(options: InProcessChainOptions): Promise<InProcessChain> {
  const { flags, logger, onFatal, filters } = options;
  const parsed = {
    apiextensions: parseFlags(apiExtensionsFlags, flags),
    kubeCore: parseFlags(kubeCoreFlags, flags),
    aggregator: parseFlags(aggregatorFlags, flags),
  };
  /** The next server first: it is stopped last. */
  const servers: GenericApiServer[] = [];
  const stop = async (patienceMs?: number) => {
    for (const server of servers.toReversed()) await server.shutdown(patienceMs);
  };
  try {
    const log = { apiextensions: logger('apiextensions'), kubeCore: logger('kube-core') };
    const { audit = auditOf(parsed.aggregator, logger('aggregator')) } = options;
    // Copies of the roles are those of the core server's store, once for all.
    const stores = new LateStores();
    const shared = { rights: new FollowedRights(), ...(audit === undefined ? {} : { audit }) };
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
      ...(filters === undefined ? {} : { filters }),
    });
    servers.push(aggregator);
    const { port } = await aggregator.listen();
    for (const server of [apiextensions, kubeCore]) server.startWithoutPort(aggregator.loopback.url);
    const [first = [], ...others] = Object.values(parsed).map(({ warnings }) => warnings);
    return {
      port,
      warnings: first.filter((warning) => others.every((list) => list.includes(warning))),
      ready: async () => {
        await Promise.all(servers.map((server) => server.started));
        await checkReady(linkTo(aggregator));
      },
      connect: (userAgent) => aggregator.loopback.connect(userAgent),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const linkTo = (server: GenericApiServer): DelegationTarget => new InProcessDelegationTarget(server);

/** Throws Error that tells what is missing. */
async function checkReady(entry: DelegationTarget): Promise<void> {
  const { status, body } = await entry.fetch('/readyz');
  if (status !== 200) throw new Error(`the chain is not ready: ${body.toString()}`);
}
