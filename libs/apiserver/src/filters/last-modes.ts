import type { ImpersonationMode } from './impersonation-modes.ts';

const mostUsers = 10_000;

/** The mode that each user impersonated with last. It is tried first, so its refusal is reported. The least recently used entry is dropped. */
export class LastModes {
  readonly #byUser = new Map<string, ImpersonationMode>();
  readonly #modes: readonly ImpersonationMode[];

  constructor(modes: readonly ImpersonationMode[]) {
    this.#modes = modes;
  }

  order(user: string): readonly ImpersonationMode[] {
    const last = this.#byUser.get(user);
    return last === undefined ? this.#modes : [last, ...this.#modes.filter((mode) => mode !== last)];
  }

  remember(user: string, mode: ImpersonationMode): void {
    this.#byUser.delete(user);
    this.#byUser.set(user, mode);
    if (this.#byUser.size <= mostUsers) return;
    for (const oldest of this.#byUser.keys()) {
      this.#byUser.delete(oldest);
      return;
    }
  }
}
