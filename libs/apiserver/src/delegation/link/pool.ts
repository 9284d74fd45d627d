import { LinkConnection, type LinkEndpoint, type LinkExchange } from './connection.ts';

/** Requests that wait for each other on a shared connection, at most. */
const maxDepth = 32;
/** Behind a request that has waited longer than this nothing is queued. */
const maxWaitMs = 100;
/** Less than the other side's idle timeout (90 s), so that it is us who close. */
const idleTimeoutMs = 60_000;
const sweepMs = 15_000;

/** What can be done with a request that has a connection to itself, as long as it is not answered. */
export interface SentStream {
  readonly cancel: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

/**
 * The connections to the next server. Requests of one lane, which are answered about equally fast, share a few, one behind the other;
 * any other has a connection to itself, so that it holds up nobody.
 */
export class LinkPool {
  readonly #endpoint: LinkEndpoint;
  readonly #all = new Set<LinkConnection>();
  readonly #lanes = new Map<string, LinkConnection[]>();
  /** The last one was used last. */
  readonly #idle: LinkConnection[] = [];
  #sweep: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(endpoint: LinkEndpoint) {
    this.#endpoint = endpoint;
  }

  /** Returns what cancels the request. */
  sendShared(lane: string, exchange: LinkExchange): () => void {
    let connections = this.#lanes.get(lane);
    if (connections === undefined) this.#lanes.set(lane, (connections = []));
    const patientSince = Date.now() - maxWaitMs;
    let connection = connections.find((candidate) => candidate.accepts(maxDepth, patientSince));
    if (connection === undefined) connections.push((connection = this.#open()));
    return connection.send(exchange);
  }

  /** Returns what cancels the request, and with it its connection: the next server stops working on it. */
  sendAlone(exchange: LinkExchange): () => void {
    return this.sendStream(exchange).cancel;
  }

  /** The same for an answer that may come faster than its parts can be passed on. */
  sendStream(exchange: LinkExchange): SentStream {
    let connection = this.#idle.pop();
    while (connection !== undefined && !connection.usable) connection = this.#idle.pop();
    const own = connection ?? this.#open();
    const cancel = own.send({
      head: exchange.head,
      body: exchange.body,
      ...(exchange.stream === undefined ? {} : { stream: exchange.stream }),
      onResponse: (response) => {
        if (own.usable) this.#idle.push(own);
        exchange.onResponse(response);
      },
      onFailure: (error, mayHaveArrived) => exchange.onFailure(error, mayHaveArrived),
    });
    return {
      cancel: () => {
        cancel();
        own.destroy();
      },
      pause: () => own.pause(),
      resume: () => own.resume(),
    };
  }

  #open(): LinkConnection {
    const connection = new LinkConnection(this.#endpoint, (closed) => this.#forget(closed));
    this.#all.add(connection);
    this.#sweep ??= setInterval(() => this.#closeIdle(), sweepMs).unref();
    if (this.#closed) connection.destroy(new Error('the link is closed'));
    return connection;
  }

  #forget(connection: LinkConnection): void {
    this.#all.delete(connection);
    remove(this.#idle, connection);
    for (const [lane, connections] of this.#lanes) {
      remove(connections, connection);
      if (connections.length === 0) this.#lanes.delete(lane);
    }
    if (this.#all.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  #closeIdle(): void {
    const before = Date.now() - idleTimeoutMs;
    for (const connection of this.#all)
      if (connection.depth === 0 && connection.idleSince < before) connection.destroy();
  }

  /** Closes connections as soon as nobody waits for an answer on them. No more requests are to be sent here. */
  retire(): void {
    for (const connection of this.#all) connection.retire();
  }

  /** Breaks every connection; what waits for an answer fails. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#all) connection.destroy(new Error('the link is closed'));
  }
}

function remove(list: LinkConnection[], connection: LinkConnection): void {
  const at = list.indexOf(connection);
  if (at >= 0) list.splice(at, 1);
}
