import type { Logger } from 'pino';
import type { HealthChecks } from './health-checks.ts';
import type { LoopbackConfig } from '../loopback.ts';

export interface HookContext {
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

  constructor(health: HealthChecks) {
    this.#health = health;
  }

  /** Throws Error when the name is taken. */
  add(name: string, hook: PostStartHook): void {
    if (this.#hooks.has(name))
      throw new Error(`unable to add ${JSON.stringify(name)} because it was already registered`);
    const entry = { hook, done: false };
    this.#hooks.set(name, entry);
    this.#health.add({
      name: `poststarthook/${name}`,
      check: () => {
        if (!entry.done) throw new Error('not finished');
      },
    });
  }

  /**
   * Starts all of them at once; `onFailure` hears of each that rejects. Resolves when all have finished, which is never when one has failed.
   */
  async run(context: HookContext, onFailure: (name: string, error: unknown) => void): Promise<void> {
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
  }
}
