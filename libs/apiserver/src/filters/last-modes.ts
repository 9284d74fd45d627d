import { BoundedCache } from '@apichain/meta';
import type { ImpersonationMode } from './impersonation-modes.ts';

const users = { maxEntries: 10_000 };

/** The mode that each user impersonated with last. It is tried first, so its refusal is reported. The least recently used entry is dropped. */
export class LastModes {
  readonly #byUser = new BoundedCache<ImpersonationMode>(users);
  readonly #modes: readonly ImpersonationMode[];

  constructor(modes: readonly ImpersonationMode[]) {
    this.#modes = modes;
  }

  order(user: string): readonly ImpersonationMode[] {
    const last = this.#byUser.get(user);
    return last === undefined ? this.#modes : [last, ...this.#modes.filter((mode) => mode !== last)];
  }

  remember(user: string, mode: ImpersonationMode): void {
    this.#byUser.set(user, mode);
  }
}
