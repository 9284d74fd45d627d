/** What a process is told about itself when it is started as a worker. */
export interface WorkerFacts {
  /** From 1. The first worker does what is to be done once for all of them. */
  readonly index: number;
  readonly count: number;
  /** Whether the service is served already, so that this worker takes the place of an earlier one. */
  readonly replaces: boolean;
}

/** The environment variable with the `WorkerFacts`, as JSON. */
export const workerVariable = 'APICHAIN_WORKER';
/** The environment variable with the file mode creation mask that workers have, in decimal digits: their parent makes sockets with another. */
export const maskVariable = 'APICHAIN_WORKER_UMASK';

/** What a worker sends to its parent. */
export type FromWorker =
  /** Its work after the start is done: it can serve. */
  | { readonly say: 'started' }
  /** It accepts connections. */
  | { readonly say: 'open' }
  /** A question to the other workers. */
  | { readonly say: 'ask'; readonly id: number; readonly question: string; readonly text: string }
  /** Without a text: it has nothing to say. */
  | { readonly say: 'reply'; readonly id: number; readonly text?: string }
  /** Something for the first worker. */
  | { readonly say: 'tell'; readonly topic: string; readonly text: string };

/** What a worker gets from its parent. */
export type FromPrimary =
  /** The first worker has started: the others may accept connections. */
  | { readonly say: 'begin' }
  /** Every worker has started once. */
  | { readonly say: 'complete' }
  /** Another process has taken its place. */
  | { readonly say: 'replaced' }
  | { readonly say: 'question'; readonly id: number; readonly question: string; readonly text: string }
  | { readonly say: 'replies'; readonly id: number; readonly replies: readonly WorkerReply[] }
  | { readonly say: 'told'; readonly topic: string; readonly text: string };

/** What another worker has replied. */
export interface WorkerReply {
  /** The index of the worker. */
  readonly worker: number;
  readonly text: string;
}

/** Every worker responds to this question, with an empty text. */
export const ping = 'ping';
