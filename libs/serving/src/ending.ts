import { setTimeout as delay } from 'node:timers/promises';

/** The connections of a server that is being stopped. */
interface EndingConnections {
  readonly size: number;
  /** Ends the connections whose responses are not complete. */
  breakResponses(): void;
}

/** Milliseconds for responses that nobody waits for any more: refusals, and watches whose clients do not read. */
const responsesMs = 100;
/** Milliseconds for the rest: sending what was written, and for clients to close their side. */
const lingerMs = 400;
const pollMs = 5;

/**
 * Resolves when the connections of a stopping server have ended. Responses that are not complete soon are broken off. The connections that are left
 * after half a second are left to the caller.
 */
export async function ended(...all: readonly EndingConnections[]): Promise<void> {
  await emptied(all, responsesMs);
  for (const connections of all) connections.breakResponses();
  await emptied(all, lingerMs);
}

async function emptied(all: readonly EndingConnections[], withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while (all.some(({ size }) => size > 0) && performance.now() < until) await delay(pollMs);
}
