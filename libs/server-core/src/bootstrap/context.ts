import { setTimeout as delay } from 'node:timers/promises';
import type { HookContext } from '@apichain/observability';
import { RestClient, type ResourceReference } from '@apichain/client';
import { isStatusError, type KubeObject } from '@apichain/meta';

/** The common arguments of the bootstrap hooks. */
export interface BootstrapContext {
  readonly client: RestClient;
  readonly signal: AbortSignal;
  readonly logger: HookContext['logger'];
  readonly whenStarted: HookContext['whenStarted'];
}

/** A loopback client with full permissions. It is closed when the server stops. */
export function loopbackContext({ loopback, signal, logger, whenStarted }: HookContext): BootstrapContext {
  const client = new RestClient(loopback.connect('kube-apiserver'));
  signal.addEventListener('abort', () => void client.close(), { once: true });
  return { client, signal, logger, whenStarted };
}

/** Resolves to false when the server stops during the pause. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(milliseconds, undefined, { signal, ref: false });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

const retryDelayMs = 1_000;

/**
 * Runs a pass until it succeeds once, then repeats it in the background every `intervalMs` (0: never) until the server stops. With
 * `alreadyDone` the first pass also runs in the background. Passes that fail are logged and retried, because the objects that they need may not
 * exist yet. When a webhook or policy refuses it twice, a pass is retried in the background, so that the server becomes ready: only then can
 * the webhook be removed.
 */
export async function reconcile(
  name: string,
  context: BootstrapContext,
  intervalMs: number,
  pass: (context: BootstrapContext) => Promise<void>,
  alreadyDone = false,
): Promise<void> {
  const { signal, logger } = context;
  const attempt = async (): Promise<'done' | 'refused' | 'failed'> => {
    try {
      await pass(context);
      return 'done';
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error, hook: name }, 'bootstrap pass failed; it is tried again');
      return isRefusal(error) ? 'refused' : 'failed';
    }
  };
  let outcome: Awaited<ReturnType<typeof attempt>> = alreadyDone ? 'done' : await attempt();
  for (let refusals = 0; outcome !== 'done'; outcome = await attempt()) {
    if (outcome === 'refused') refusals += 1;
    if (refusals > 1) break;
    if (!(await pause(retryDelayMs, signal))) return;
  }
  const repeat = async (): Promise<void> => {
    while (outcome !== 'done' && (await pause(retryDelayMs, signal))) outcome = await attempt();
    while (intervalMs > 0 && (await pause(intervalMs, signal))) await attempt();
  };
  if (!signal.aborted) void repeat();
}

/** Whether the server understood the request and refused it, or asked a webhook that did not respond. */
const isRefusal = (error: unknown): boolean =>
  isStatusError(error, 'Forbidden') || isStatusError(error, 'InternalError') || isStatusError(error, 'Invalid');

/**
 * As `reconcile`, but in the background: it starts as soon as the server is ready. A client that waits until the server is ready finds what
 * the pass writes, such as the endpoints of the server, and a store that rests.
 */
export function reconcileOnceStarted(...args: Parameters<typeof reconcile>): void {
  const [, { whenStarted, signal }] = args;
  whenStarted(async () => {
    if (!signal.aborted) await reconcile(...args);
  });
}

/** The object, or undefined when it does not exist. */
export async function find(client: RestClient, ref: ResourceReference, name: string): Promise<KubeObject | undefined> {
  try {
    return await client.get(ref, name);
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Creates the object unless one of that name exists, even if another server creates it meanwhile. */
export async function ensure(client: RestClient, ref: ResourceReference, object: KubeObject): Promise<void> {
  if ((await find(client, ref, object.metadata.name ?? '')) !== undefined) return;
  try {
    await client.create(ref, object);
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  }
}
