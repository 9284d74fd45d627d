import { useEffect, useState } from 'preact/hooks';

/** What a user has chosen. It is no secret, and stays in the browser. */
interface Preferences {
  /** `auto` follows the system. */
  readonly theme: 'auto' | 'light' | 'dark';
  /** Kinds as `deployments.apps`, in the order in which they were chosen. */
  readonly favourites: readonly string[];
  /** Groups of the navigation that are closed. */
  readonly closed: readonly string[];
  /** The columns of a kind, where others than the server's first choice are shown. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
}

const storageKey = 'apichain-console-preferences';
const defaults: Preferences = { theme: 'auto', favourites: [], closed: [], columns: {} };

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** Takes what is as expected: another version of the console may have written it. */
function read(): Preferences {
  let stored: unknown;
  try {
    stored = JSON.parse(localStorage.getItem(storageKey) ?? '{}');
  } catch (error) {
    if (error instanceof SyntaxError) return defaults;
    throw error;
  }
  const { theme, favourites, closed, columns } = (stored ?? {}) as Readonly<Record<string, unknown>>;
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    favourites: texts(favourites),
    closed: texts(closed),
    columns: Object.fromEntries(Object.entries(columns ?? {}).map(([kind, names]) => [kind, texts(names)])),
  };
}

let current = read();
const listeners = new Set<() => void>();

/** Changes some of them, and keeps them for the next time. */
export function prefer(changes: Partial<Preferences>): void {
  current = { ...current, ...changes };
  localStorage.setItem(storageKey, JSON.stringify(current));
  for (const listener of listeners) listener();
}

export function usePreferences(): Preferences {
  const [state, setState] = useState(current);
  useEffect(() => {
    const changed = () => setState(current);
    listeners.add(changed);
    return () => {
      listeners.delete(changed);
    };
  }, []);
  return state;
}

/** Gives the page the colours that the user has chosen. */
export function useTheme(): void {
  const { theme } = usePreferences();
  useEffect(() => {
    if (theme === 'auto') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  }, [theme]);
}

/** The list with the item, or without it if it was there. */
export const toggled = (list: readonly string[], item: string): readonly string[] =>
  list.includes(item) ? list.filter((one) => one !== item) : [...list, item];
