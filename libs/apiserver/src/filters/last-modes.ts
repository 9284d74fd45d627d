import { impersonationModes, type ImpersonationMode } from './impersonation-modes.ts';

const mostUsers = 10_000;

/** In which mode users impersonated last: what is refused is told in its words. Bounded; who was not seen for long is forgotten. */
export class LastModes {
  readonly #byUser = new Map<string, ImpersonationMode>();

  order(user: string): readonly ImpersonationMode[] {
    const last = this.#byUser.get(user);
    return last === undefined ? impersonationModes : [last, ...impersonationModes.filter((mode) => mode !== last)];
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
