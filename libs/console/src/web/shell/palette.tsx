import { useEffect, useState } from 'preact/hooks';
import { canList, type Kind } from '../api/kinds.ts';
import { useDrafts } from '../object/drafts.ts';
import { Dialog } from '../parts/parts.tsx';
import { isMeant } from './kind-groups.ts';
import { prefer } from './preferences.ts';
import { go, linkTo } from './routes.ts';

interface Command {
  readonly title: string;
  readonly note: string;
  readonly run: () => void;
}

interface Props {
  readonly kinds: readonly Kind[];
  readonly namespace: string;
}

const maxShown = 12;

/** Ctrl-K: goes to a view, a kind, or the objects of a kind with a name, and runs commands. */
export function Palette({ kinds, namespace }: Props) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  if (!isOpen) return null;
  return (
    <Dialog title="Go to" onClose={() => setOpen(false)}>
      <Commands kinds={kinds} namespace={namespace} onDone={() => setOpen(false)} />
    </Dialog>
  );
}

function Commands({ kinds, namespace, onDone }: Props & { readonly onDone: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const drafts = useDrafts();
  const commands: readonly Command[] = [
    ...drafts.map(({ title, href }) => ({ title, note: 'draft', run: () => go(href) })),
    ...views(namespace),
    ...themes,
  ];
  const found = [
    ...commands.filter(({ title }) => title.toLowerCase().includes(text.trim().toLowerCase())),
    ...kindCommands(kinds, namespace, text),
  ].slice(0, maxShown);
  const chosen = Math.min(at, found.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onDone();
    command.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      setAt((chosen + by + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(found[chosen]);
    }
  };
  return (
    <div class="palette">
      <input
        autoFocus
        role="combobox"
        aria-label="View, kind, or kind and name"
        aria-expanded="true"
        aria-controls="palette-commands"
        aria-activedescendant={found.length === 0 ? undefined : `command-${chosen}`}
        placeholder="deployments web"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <ul id="palette-commands" role="listbox" aria-label="Found">
        {found.map((command, index) => (
          <li
            key={`${command.title} ${command.note}`}
            id={`command-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => run(command)}
          >
            {command.title} <span class="quiet">{command.note}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="quiet">Nothing has this name.</p>}
    </div>
  );
}

const views = (namespace: string): readonly Command[] =>
  (
    [
      ['Overview', linkTo.overview(namespace)],
      ['Workloads', linkTo.workloads({ namespace })],
      ['Timeline', linkTo.timeline({ namespace })],
      ['Requests', linkTo.requests()],
      ['API services', linkTo.apis()],
      ['API explorer', linkTo.explorer()],
      ['Access', linkTo.access()],
    ] as const
  ).map(([title, href]) => ({ title, note: 'view', run: () => go(href) }));

const themes: readonly Command[] = (['dark', 'light', 'auto'] as const).map((theme) => ({
  title: theme === 'auto' ? 'Colours of the system' : `Colours: ${theme}`,
  note: 'command',
  run: () => prefer({ theme }),
}));

/** `deploy` goes to Deployments, `deploy web` to those with `web` in their names. */
function kindCommands(kinds: readonly Kind[], namespace: string, text: string): readonly Command[] {
  const [word = '', ...rest] = text.trim().toLowerCase().split(/\s+/);
  const name = rest.join(' ');
  return kinds
    .filter((kind) => canList(kind) && isMeant(kind, word))
    .sort((a, b) => rankOf(a, word) - rankOf(b, word))
    .map((kind) => ({
      title: name === '' ? kind.kind : `${kind.kind} named ${name}`,
      note: kind.group === '' ? 'core' : kind.group,
      run: () => go(linkTo.list(kind, kind.namespaced ? namespace : '', name)),
    }));
}

/** Short names and beginnings first. */
function rankOf({ kind, resource, shortNames }: Kind, word: string): number {
  if (shortNames.includes(word) || resource === word) return 0;
  return kind.toLowerCase().startsWith(word) || resource.startsWith(word) ? 1 : 2;
}
