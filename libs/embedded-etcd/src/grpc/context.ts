import type { Engine } from '../engine/engine.ts';
import type { ResponseHeader } from '../generated/rpc.ts';
import type { WatchHub } from '../watch/watch-hub.ts';

/** What the calls of the API work on. */
export interface ServerContext {
  readonly engine: Engine;
  readonly hub: WatchHub;
  /** Writes larger than this are refused, and fragments of watch answers are at most this large. In bytes. */
  readonly maxRequestBytes: number;
  /** Where clients reach the server. */
  url: string;
}

/** A cluster of one member that was elected once. */
export const raftTerm = 2;

export const headerOf = ({ identity, revision }: Engine, at = revision): ResponseHeader => ({
  ...identity,
  revision: at,
  raftTerm,
});
