import { useEffect, useRef } from 'preact/hooks';

/** What a key does, and how the help describes it. */
export interface Shortcut {
  readonly key: string;
  readonly description: string;
  readonly run: () => void;
}

const active = new Set<{ readonly current: readonly Shortcut[] }>();

/** The keys of the views that are shown now, for the help. */
export const activeShortcuts = (): readonly Shortcut[] => [...active].flatMap(({ current }) => current);

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

/** What has the focus is opened or pressed by Enter itself. */
const isForFocus = ({ key, target }: KeyboardEvent): boolean =>
  key === 'Enter' && target instanceof Element && target.closest('a, button, summary') !== null;

/** Single keys that work while nobody types and no dialog is open. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  useEffect(() => {
    active.add(newest);
    return () => {
      active.delete(newest);
    };
  }, []);
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || isForFocus(event)) return;
  if (document.querySelector('dialog[open]') !== null) return;
  const shortcut = activeShortcuts().findLast(({ key }) => key === event.key);
  if (shortcut === undefined) return;
  event.preventDefault();
  shortcut.run();
});
