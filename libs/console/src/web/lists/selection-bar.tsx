import { useState } from 'preact/hooks';
import { messageOf, request } from '../api/api.ts';
import { pathOf, type Kind } from '../api/kinds.ts';
import { Confirm } from '../parts/parts.tsx';

interface Props {
  readonly kind: Kind;
  /** Keys of rows: `shop/web`. */
  readonly selected: ReadonlySet<string>;
  readonly onClear: () => void;
}

const atOnce = 4;
/** Names that the question has. */
const named = 8;

/** What can be done with the selected objects. */
export function SelectionBar({ kind, selected, onClear }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [done, setDone] = useState<number>();
  const [failures, setFailures] = useState<readonly string[]>([]);
  const remove = async () => {
    setAsking(false);
    setFailures([]);
    setDone(0);
    const queue = [...selected];
    const failed: string[] = [];
    const work = async () => {
      for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
        const slash = key.indexOf('/');
        const path = pathOf(kind, key.slice(0, slash), key.slice(slash + 1));
        await request(path, { method: 'DELETE' }).catch((error: unknown) => failed.push(`${key}: ${messageOf(error)}`));
        setDone((before = 0) => before + 1);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
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
          {kind.verbs.includes('delete') && (
            <button type="button" class="danger" disabled={done !== undefined} onClick={() => setAsking(true)}>
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
          <b>{failures.length} could not be deleted</b>
          <ul>
            {failures.map((failure) => (
              <li key={failure}>{failure}</li>
            ))}
          </ul>
        </div>
      )}
      {isAsking && (
        <Confirm
          title={`Delete ${selected.size} ${kind.resource}?`}
          text={`${list}. Everything that they own is deleted too.`}
          action="Delete"
          onConfirm={() => void remove()}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  );
}
