import type { ResponseHeader } from '@apichain/etcd-api/etcdserverpb';
import type { Engine } from '../engine/engine.ts';
import type { WatchHub } from '../watch/watch-hub.ts';

/** The server state that the calls of the API use. */
export interface ServerContext {
  readonly engine: Engine;
  readonly hub: WatchHub;
  /** The maximum size of a write request and of a fragment of a watch response, in bytes. */
  readonly maxRequestBytes: number;
  /** The URL of the server. */
  url: string;
}

/** The raft term of a cluster of one member, elected once. */
export const raftTerm = 2;

export const headerOf = ({ identity, revision }: Engine, at = revision): ResponseHeader => ({
  ...identity,
  revision: at,
  raftTerm,
});
