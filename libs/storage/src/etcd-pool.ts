import { createRequire } from 'node:module';
import type { ChannelOptions, Client, Metadata } from '@grpc/grpc-js';
import type * as Library from 'etcd3';
import type { EtcdCredentials } from './etcd-credentials.ts';
import { neverRepeat, type EndpointChoice } from './endpoint-choice.ts';

/** The largest message to accept: a page of a large list, or a burst of watch events. */
const maxMessageBytes = 2 ** 31 - 1;
/** How much of an answer may be on its way: pages of large lists should not wait for the round trips of flow control. */
const windowBytes = 4 * 1024 * 1024;
const channelOptions: ChannelOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_send_message_length': maxMessageBytes,
  'grpc-node.flow_control_window': windowBytes,
  // As kube-apiserver's client: a dead peer is noticed after 40 seconds even if nothing is sent. Only while calls are under way: etcd ends
  // connections that ask without any.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.keepalive_permit_without_calls': 0,
  // Watches have a connection of their own: a long answer to a call must not hold them back.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
  // A call is sent once. What never left is known as such, and its caller repeats it.
  'grpc.enable_retries': 0,
  // Statistics that nobody here reads, kept for every call.
  'grpc.enable_channelz': 0,
};

/** A gRPC client of one endpoint, lent by the pool. */
export interface PooledClient {
  readonly client: Client;
  /** What every call carries. */
  readonly metadata: Metadata;
  /** Closes the client: calls under way go on, and the next that asks gets a new one. */
  discard(): void;
  /** As `discard`, and the endpoint has failed. */
  fail(cause: string): void;
}

/** etcd3's connection pool. */
export interface EtcdPool {
  /** Lends a client of the endpoint to use to `use`, whose failure counts as the endpoint's. */
  lend<Result>(use: (client: PooledClient) => Promise<Result>): Promise<Result>;
  close(): void;
}

const require = createRequire(import.meta.url);

/** The library with its connection pool in reach: its own calls convert between strings, numbers and bytes, and repeat what failed. */
function openLibrary(options: Library.IOptions) {
  const library = require('etcd3') as typeof Library;
  class PooledEtcd extends library.Etcd3 {
    get connections() {
      return this.pool;
    }
  }
  return { library, pool: new PooledEtcd(options).connections };
}

/** What gRPC dials: `host:port`, or a Unix socket as it is given. */
function targetOf(server: string): string {
  if (!/^https?:/.test(server)) return server;
  const { protocol, hostname, port } = new URL(server);
  return `${protocol}//${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}

function credentialsOf(
  servers: readonly string[],
  { ca, certificate, key }: EtcdCredentials,
): Partial<Library.IOptions> {
  // The scheme of the URL decides on TLS.
  if (ca === undefined || !servers.some((server) => server.startsWith('https:'))) return {};
  return {
    credentials: {
      rootCertificate: Buffer.from(ca),
      ...(key === undefined ? {} : { privateKey: Buffer.from(key) }),
      ...(certificate === undefined ? {} : { certChain: Buffer.from(certificate) }),
    },
  };
}

export interface PoolOptions {
  readonly servers: readonly string[];
  readonly service: 'KV' | 'Watch';
  readonly credentials: EtcdCredentials;
  readonly choice: EndpointChoice;
}

/** Opens a pool, which connects when a client is first used. Loads the library. Throws Error for credentials that are none. */
export function openPool({ servers, service, credentials, choice }: PoolOptions): EtcdPool {
  const { library, pool } = openLibrary({
    hosts: servers.map(targetOf),
    grpcOptions: channelOptions,
    ...credentialsOf(servers, credentials),
    faultHandling: { global: neverRepeat, host: (target) => choice.policyOf(target) },
  });
  return {
    lend: (use) =>
      pool.withConnection(service, async ({ resource, client, metadata }) => {
        const discard = () => {
          // Before the host does so: it would leave a timer behind where the client is still connecting.
          client.close();
          resource.resetAllServices();
        };
        const fail = (cause: string) => {
          client.close();
          pool.markFailed(resource, new library.GRPCUnavailableError(cause));
        };
        return use({ client, metadata, discard, fail });
      }),
    close: () => {
      pool.close();
    },
  };
}

/** The endpoints as `EndpointChoice` knows them. */
export const targetsOf = (servers: readonly string[]): readonly string[] => servers.map(targetOf);
