import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** What went wrong, in the words of the server. */
export function Problem({ text, children }: { readonly text: string; readonly children?: ComponentChildren }) {
  return (
    <div class="problem" role="alert">
      <span>{text}</span>
      {children}
    </div>
  );
}

export function Header({ title, note, children }: HeaderProps) {
  useEffect(() => {
    document.title = `${title} · apichain`;
  }, [title]);
  return (
    <header class="view-header">
      <div class="view-title">
        <h1 title={title}>{title}</h1>
        {note !== undefined && <span class="note">{note}</span>}
      </div>
      <div class="view-tools">{children}</div>
    </header>
  );
}

interface HeaderProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A table that scrolls within the page. Its children are the rows. */
export function Table({ columns, children }: TableProps) {
  return (
    <div class="table-scroll">
      <table>
        <thead>
          <tr>
            {columns.map((column) => {
              const { name, description, isNumber } = typeof column === 'string' ? { name: column } : column;
              return (
                <th scope="col" key={name} title={description} class={isNumber === true ? 'number' : undefined}>
                  {name}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

interface TableProps {
  readonly columns: readonly (string | TableColumn)[];
  readonly children: ComponentChildren;
}

interface TableColumn {
  readonly name: string;
  readonly description?: string;
  readonly isNumber?: boolean;
}

/** A word with a colour that says how good it is. */
export function Badge({ kind, children }: { readonly kind: Mood; readonly children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

export type Mood = 'good' | 'bad' | 'warn' | 'plain';

/** The value of a text field of a form. */
export function fieldOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value.trim() : '';
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** `5m` from a time as in metadata.creationTimestamp. */
export function age(timestamp: string | undefined): string {
  if (timestamp === undefined) return '';
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(timestamp)) / 1000));
  for (const [unit, size] of units) if (seconds >= 2 * size) return `${Math.floor(seconds / size)}${unit}`;
  return `${seconds}s`;
}

export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(2)} s`;
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)} ms`;
}

/** Calls the loader when `keys` change. A result that arrives after another call is dropped. */
export function useLoaded<Value>(load: () => Promise<Value>, keys: readonly unknown[]): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({});
  useEffect(() => {
    let isCurrent = true;
    setLoaded({});
    load().then(
      (value) => isCurrent && setLoaded({ value }),
      (error: unknown) => isCurrent && setLoaded({ error: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, keys);
  return loaded;
}

export interface Loaded<Value> {
  readonly value?: Value;
  readonly error?: string;
}

/** A dialog that asks before something is done. Escape and a click beside it cancel. */
export function Confirm({ title, text, action, onConfirm, onCancel }: ConfirmProps) {
  return (
    <dialog
      class="confirm"
      ref={(dialog) => {
        if (dialog !== null && !dialog.open) dialog.showModal();
      }}
      onCancel={onCancel}
      onClick={(event) => event.target === event.currentTarget && onCancel()}
    >
      <div class="confirm-body">
        <h2>{title}</h2>
        <p>{text}</p>
        <div class="actions">
          <button type="button" autoFocus onClick={onCancel}>
            Cancel
          </button>
          <button type="button" class="danger" onClick={onConfirm}>
            {action}
          </button>
        </div>
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}
