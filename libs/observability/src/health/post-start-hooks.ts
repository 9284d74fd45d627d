import type { Logger } from 'pino';
import type { HealthChecks } from './health-checks.ts';
import type { LoopbackConfig } from '@apichain/request';

/** What a post-start hook is given. */
export interface HookContext {
  /** Resolves when every hook of the server has run, so that it is ready; never when one of them fails. */
  readonly started: Promise<void>;
  /** Aborts when the server shuts down. */
  readonly signal: AbortSignal;
  /** How to reach the server itself with full rights. */
  readonly loopback: LoopbackConfig;
  readonly logger: Logger;
}

/** Runs once the server listens; the check `poststarthook/<name>` passes when it resolves. A rejection stops the server. */
export type PostStartHook = (context: HookContext) => Promise<void> | void;

/** After k8s.io/apiserver/pkg/server/hooks.go. */
export class PostStartHooks {
  readonly #hooks = new Map<string, { hook: PostStartHook; done: boolean }>();
  readonly #health: HealthChecks;

  readonly #graceEndsAt: number;

  /** For `livezGraceMs` milliseconds from now on `/livez` takes it that hooks which have not finished will. */
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

  /** Throws Error when one of the hooks, if there is one of the name, has not finished. */
  check(names: readonly string[]): void {
    const running = names.filter((name) => this.#hooks.get(name)?.done === false);
    if (running.length > 0) throw new Error(`${running.length} informers not started yet: [${running.join(' ')}]`);
  }

  /**
   * Starts all of them at once; `onFailure` hears of each that rejects. Resolves when all have finished, which is never when one has failed.
   */
  async run(of: Omit<HookContext, 'started'>, onFailure: (name: string, error: unknown) => void): Promise<void> {
    const started = Promise.withResolvers<void>();
    const context: HookContext = { ...of, started: started.promise };
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
    started.resolve();
  }
}
