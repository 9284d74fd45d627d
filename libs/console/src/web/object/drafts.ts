import { useEffect, useState } from 'preact/hooks';
import type { HiddenValues } from './secret-values.ts';

/** What somebody has typed and not written yet. */
export interface Draft {
  /** The text that was stored when the draft began; undefined for an object that does not exist yet. */
  readonly base: string | undefined;
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** `Deployment shop/web`. */
  readonly title: string;
  /** Where it is edited. */
  readonly href: string;
  /** The values of a Secret that the text does not show. */
  readonly hidden?: HiddenValues | undefined;
}

/**
 * The drafts of this tab, in memory: they may have secrets, and go with the tab, which asks before. They outlast every change of the view and a new login
 * of the same user.
 */
class Drafts {
  readonly #drafts = new Map<string, Draft>();
  readonly #listeners = new Set<() => void>();
  #user = '';

  /** Keeps the drafts of this user. Those of another one are dropped. */
  keepFor(user: string): void {
    if (this.#user !== user && this.#drafts.size > 0) {
      this.#drafts.clear();
      this.#tell();
    }
    this.#user = user;
  }

  get(key: string): Draft | undefined {
    return this.#drafts.get(key);
  }

  get all(): readonly (Draft & { readonly key: string })[] {
    return [...this.#drafts].map(([key, draft]) => ({ ...draft, key }));
  }

  set(key: string, draft: Draft): void {
    this.#drafts.set(key, draft);
    this.#tell();
  }

  discard(key: string): void {
    if (this.#drafts.delete(key)) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Returns the function that ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export const drafts = new Drafts();

/** Asks before the tab goes while there are drafts. */
addEventListener('beforeunload', (event) => {
  if (drafts.all.length > 0) event.preventDefault();
});

/** All drafts, for a view that shows them as they change. */
export function useDrafts(): Drafts['all'] {
  const [all, setAll] = useState(drafts.all);
  useEffect(() => {
    const changed = () => setAll(drafts.all);
    // One may have begun before this effect.
    changed();
    return drafts.subscribe(changed);
  }, []);
  return all;
}

/** The draft with this key, as it changes. */
export const useDraft = (key: string): Draft | undefined => useDrafts().find((draft) => draft.key === key);
