import { createRequire } from 'node:module';
import type { ChannelOptions, Client, Metadata } from '@grpc/grpc-js';
import type * as Library from 'etcd3';
import type { EtcdCredentials } from '../etcd-credentials.ts';
import { neverRepeat, type EndpointChoice } from './endpoint-choice.ts';

/** The largest message to accept, in bytes: a page of a large list, or a burst of watch events. */
const maxMessageBytes = 2 ** 31 - 1;
/** The flow control window, in bytes. Large enough that pages of large lists do not wait for round trips. */
const windowBytes = 4 * 1024 * 1024;
const channelOptions: ChannelOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_send_message_length': maxMessageBytes,
  'grpc-node.flow_control_window': windowBytes,
  // Like kube-apiserver's client: a dead peer is detected after 40 seconds even when nothing is sent. Only while calls are under way, because etcd
  // closes connections that send keepalives without calls.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.keepalive_permit_without_calls': 0,
  // Watches have a separate connection, so that a long response to a call does not delay them.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
  // A call is sent once. If it was never sent, the error says so and the caller repeats it.
  'grpc.enable_retries': 0,
  // Otherwise the library keeps unused statistics for every call.
  'grpc.enable_channelz': 0,
};

/** A gRPC client of one endpoint, lent by the pool. */
export interface PooledClient {
  readonly client: Client;
  /** The metadata sent with every call. */
  readonly metadata: Metadata;
  /** Closes the client. Calls under way continue, and the next caller gets a new client. */
  discard(): void;
  /** Like `discard`, and marks the endpoint as failed. */
  fail(cause: string): void;
}

/** etcd3's connection pool. */
export interface EtcdPool {
  /** Passes a client of the preferred endpoint to `use`. A failure of `use` counts as a failure of the endpoint. */
  lend<Result>(use: (client: PooledClient) => Promise<Result>): Promise<Result>;
  close(): void;
}

const require = createRequire(import.meta.url);

/**
 * Loads etcd3 and exposes its connection pool. The library's own calls are not used: they convert between strings, numbers and bytes, and repeat
 * failed calls.
 */
function openLibrary(options: Library.IOptions) {
  const library = require('etcd3') as typeof Library;
  class PooledEtcd extends library.Etcd3 {
    get connections() {
      return this.pool;
    }
  }
  return { library, pool: new PooledEtcd(options).connections };
}

/** The address for gRPC: `host:port`, or the unchanged URL of a Unix socket. */
function targetOf(server: string): string {
  if (!/^https?:/.test(server)) return server;
  const { protocol, hostname, port } = new URL(server);
  return `${protocol}//${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}

function credentialsOf(
  servers: readonly string[],
  { ca, certificate, key }: EtcdCredentials,
): Partial<Library.IOptions> {
  // The scheme of the URLs decides whether TLS is used.
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

/** Opens a pool, which connects when a client is first used. Loads the library. Throws Error for invalid credentials. */
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
          // Closed before the host closes it: the host would leave a timer running while the client is still connecting.
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

/** The endpoints in the form that `EndpointChoice` uses. */
export const targetsOf = (servers: readonly string[]): readonly string[] => servers.map(targetOf);
