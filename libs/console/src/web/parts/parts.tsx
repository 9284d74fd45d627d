import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useConnection } from '../api/connection.ts';

/** What went wrong within the console. Refusals of the server are shown by `Refusal`. */
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

/** Calls the loader when `keys` change, and when the connection came back. A result that arrives after another call is dropped. */
export function useLoaded<Value>(load: () => Promise<Value>, keys: readonly unknown[]): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({});
  const { restored } = useConnection();
  const restoredBefore = useRef(restored);
  useEffect(() => {
    let isCurrent = true;
    // What was shown stays until it was read again.
    if (restoredBefore.current === restored) setLoaded({});
    restoredBefore.current = restored;
    load().then(
      (value) => isCurrent && setLoaded({ value }),
      (error: unknown) => isCurrent && setLoaded({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [...keys, restored]);
  return loaded;
}

export interface Loaded<Value> {
  readonly value?: Value;
  readonly error?: unknown;
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog above the page. Escape and a click beside it close it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  return (
    <dialog
      class="dialog"
      aria-label={title}
      ref={(dialog) => {
        if (dialog !== null && !dialog.open) dialog.showModal();
      }}
      onCancel={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div class="dialog-body">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** Asks before something is done. */
export function Confirm({ title, text, action, onConfirm, onCancel }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onCancel}>
      <p>{text}</p>
      <div class="actions">
        <button type="button" autoFocus onClick={onCancel}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={onConfirm}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}
