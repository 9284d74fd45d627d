import { inProcessEtcd } from '@apichain/etcd-api';
import type { EtcdTransport, TransportOptions } from './etcd-transport.ts';
import { inProcessTransport } from './in-process-transport.ts';
import { PooledTransport } from './pooled-transport.ts';

/** Opens the transport for the servers. Sends nothing, and loads no library, before the first call. */
export function openTransport(options: TransportOptions): EtcdTransport {
  const [server, ...others] = options.servers;
  const isInProcess = server !== undefined && others.length === 0 && inProcessEtcd(server) !== undefined;
  return isInProcess ? inProcessTransport(server) : new PooledTransport(options);
}
