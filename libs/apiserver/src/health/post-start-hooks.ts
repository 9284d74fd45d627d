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

  /** Starts all of them at once; `onFailure` hears of each that rejects. */
  run(context: HookContext, onFailure: (name: string, error: unknown) => void): void {
    for (const [name, entry] of this.#hooks) {
      const finished = () => {
        entry.done = true;
      };
      const start = async () => entry.hook(context);
      start().then(finished, (error: unknown) => onFailure(name, error));
    }
  }
}
