import { FlagError, type FlagDefinition, type ParsedFlags } from '@apichain/apiserver-options';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '@apichain/embedded-etcd';

const section = 'Etcd';

/** The flags of the embedded store, which replaces an etcd where there is none. */
export const storeFlags: readonly FlagDefinition[] = [
  {
    name: 'data-dir',
    type: 'string',
    section,
    usage: 'Store the objects in this directory, with the embedded etcd, instead of --etcd-servers.',
  },
  {
    name: 'memory',
    type: 'bool',
    section,
    usage: 'Keep the objects in memory, instead of --etcd-servers. They are lost when the server stops.',
  },
];

/** The store of a server: addresses for `etcdOptions`, and the embedded etcd if it runs in this process. */
export interface Store {
  readonly servers: readonly string[];
  readonly embedded?: EmbeddedEtcd;
}

/**
 * Opens the store that the flags select. Throws FlagError if they select none or several, and Error if the directory cannot be used.
 * A server without stored resources needs none (`isNeeded`).
 */
export async function openStore(flags: ParsedFlags, isNeeded: boolean): Promise<Store | undefined> {
  const servers = flags.strings('etcd-servers');
  const dataDir = flags.string('data-dir');
  const memory = flags.bool('memory');
  const given = [servers.length > 0, dataDir !== '', memory].filter(Boolean).length;
  if (given > 1) throw new FlagError('--etcd-servers, --data-dir and --memory exclude each other');
  if (!isNeeded) return undefined;
  if (given === 0) throw new FlagError('one of --etcd-servers, --data-dir or --memory must be specified');
  if (servers.length > 0) return { servers };
  const embedded = await startEmbeddedEtcd({ inProcess: true, ...(memory ? { memory } : { dataDir }) });
  return { servers: [embedded.url], embedded };
}
