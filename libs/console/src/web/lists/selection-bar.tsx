import { useState } from 'preact/hooks';
import { messageOf, request } from '../api/api.ts';
import { pathOf, type Kind } from '../api/kinds.ts';
import { patchActionsOf, runPatch } from '../object/actions.ts';
import { Confirm } from '../parts/parts.tsx';

interface Props {
  readonly kind: Kind;
  /** Keys of rows: `shop/web`. */
  readonly selected: ReadonlySet<string>;
  readonly onClear: () => void;
}

/** Something that is done to each of the objects. */
interface Work {
  readonly title: string;
  readonly effect: string;
  readonly work: (path: string) => Promise<unknown>;
}

const deletion: Work = {
  title: 'Delete',
  effect: 'Everything that they own is deleted too.',
  work: (path) => request(path, { method: 'DELETE' }),
};

const atOnce = 4;
/** Names that the question has. */
const named = 8;

/** What can be done with the selected objects. */
export function SelectionBar({ kind, selected, onClear }: Props) {
  const [asked, setAsked] = useState<Work>();
  const [done, setDone] = useState<number>();
  const [failures, setFailures] = useState<readonly string[]>([]);
  const run = async ({ work }: Work) => {
    setAsked(undefined);
    setFailures([]);
    setDone(0);
    const queue = [...selected];
    const failed: string[] = [];
    const worker = async () => {
      for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
        const slash = key.indexOf('/');
        const path = pathOf(kind, key.slice(0, slash), key.slice(slash + 1));
        await work(path).catch((error: unknown) => failed.push(`${key}: ${messageOf(error)}`));
        setDone((before = 0) => before + 1);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    setFailures(failed);
    setDone(undefined);
    onClear();
  };
  const names = [...selected].map((key) => key.replace(/^\//, ''));
  const list =
    names.length > named ? `${names.slice(0, named).join(', ')} and ${names.length - named} more` : names.join(', ');
  return (
    <>
      {selected.size > 0 && (
        <div class="note-box toolbar" role="group" aria-label="Selected objects">
          <span role="status">
            {done === undefined ? `${selected.size} selected` : `${done} of ${selected.size} done`}
          </span>
          <span class="spacer" />
          {patchActionsOf(kind).map((action) => (
            <button
              type="button"
              key={action.title}
              disabled={done !== undefined}
              onClick={() => setAsked({ ...action, work: (path) => runPatch(path, action) })}
            >
              {action.title}
            </button>
          ))}
          {kind.verbs.includes('delete') && (
            <button type="button" class="danger" disabled={done !== undefined} onClick={() => setAsked(deletion)}>
              Delete selected
            </button>
          )}
          <button type="button" onClick={onClear}>
            Clear
          </button>
        </div>
      )}
      {failures.length > 0 && (
        <div class="refusal" role="alert">
          <b>{failures.length} could not be changed</b>
          <ul>
            {failures.map((failure) => (
              <li key={failure}>{failure}</li>
            ))}
          </ul>
        </div>
      )}
      {asked !== undefined && (
        <Confirm
          title={`${asked.title} ${selected.size} ${kind.resource}?`}
          text={`${list}. ${asked.effect}`}
          action={asked.title}
          onConfirm={() => void run(asked)}
          onCancel={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
