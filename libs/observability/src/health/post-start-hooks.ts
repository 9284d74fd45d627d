import type { Logger } from 'pino';
import type { HealthChecks } from './health-checks.ts';
import type { LoopbackConfig } from '@apichain/request';

/** The argument of a post-start hook. */
export interface HookContext {
  /**
   * Adds work that begins when every hook of the server has finished, so that the server is ready, and never if a hook fails. Clients that wait until the
   * server is ready do not wait for it.
   */
  readonly whenStarted: (work: () => Promise<void>) => void;
  /** Aborts when the server shuts down. */
  readonly signal: AbortSignal;
  /** How to reach the server itself with all permissions. */
  readonly loopback: LoopbackConfig;
  readonly logger: Logger;
}

/** Runs once the server listens; the check `poststarthook/<name>` passes when it resolves. A rejection stops the server. */
export type PostStartHook = (context: HookContext) => Promise<void> | void;

/** The post-start hooks of a server, with a health check for each. After k8s.io/apiserver/pkg/server/hooks.go. */
export class PostStartHooks {
  readonly #hooks = new Map<string, { hook: PostStartHook; done: boolean }>();
  readonly #health: HealthChecks;
  readonly #graceEndsAt: number;
  readonly #rested = Promise.withResolvers<void>();

  /** For `livezGraceMs` milliseconds from now, `/livez` ignores hooks that have not finished. */
  constructor(health: HealthChecks, livezGraceMs = 0) {
    this.#health = health;
    this.#graceEndsAt = Date.now() + livezGraceMs;
  }

  /** Throws Error when the name is taken. */
  add(name: string, hook: PostStartHook): void {
    if (this.#hooks.has(name))
      throw new Error(`unable to add ${JSON.stringify(name)} because it was already registered`);
    const entry = { hook, done: false };
    this.#hooks.set(name, entry);
    const check = () => {
      if (!entry.done) throw new Error('not finished');
    };
    const checkLive = () => {
      if (Date.now() >= this.#graceEndsAt) check();
    };
    this.#health.add({ name: `poststarthook/${name}`, check }, ['healthz', 'readyz']);
    this.#health.add({ name: `poststarthook/${name}`, check: checkLive }, ['livez']);
  }

  /** Throws Error if any hook of these names has not finished. Unknown names are ignored. */
  check(names: readonly string[]): void {
    const running = names.filter((name) => this.#hooks.get(name)?.done === false);
    if (running.length > 0) throw new Error(`${running.length} informers not started yet: [${running.join(' ')}]`);
  }

  /** Resolves when what hooks have added to be done when the server is ready has been done, too. Stays pending if a hook fails. */
  get rested(): Promise<void> {
    return this.#rested.promise;
  }

  /**
   * Starts all hooks concurrently. `onFailure` is called for each that rejects. Resolves when all have finished; stays pending if one fails.
   */
  async run(of: Omit<HookContext, 'whenStarted'>, onFailure: (name: string, error: unknown) => void): Promise<void> {
    const works: (() => Promise<void>)[] = [];
    const context: HookContext = { ...of, whenStarted: (work) => void works.push(work) };
    const start = async (name: string, entry: { hook: PostStartHook; done: boolean }) => {
      try {
        await entry.hook(context);
        entry.done = true;
      } catch (error) {
        onFailure(name, error);
        await new Promise<never>(() => undefined);
      }
    };
    await Promise.all([...this.#hooks].map(([name, entry]) => start(name, entry)));
    this.#rested.resolve(Promise.all(works.map((work) => work())).then(() => undefined));
  }
}
