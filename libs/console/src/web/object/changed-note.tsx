import { useState } from 'preact/hooks';
import { changesOf, diffLines } from './diff.ts';
import { DiffView } from './diff-view.tsx';
import type { Conflict } from './merge.ts';

interface ChangedProps {
  /** What was stored when the draft began, and now. */
  readonly base: string;
  readonly stored: string;
  /** Who has written it; empty when it is not known. */
  readonly by: string;
  readonly onMerge: () => void;
}

/** Says that an object has changed since its draft began. */
export function ChangedNote({ base, stored, by, onMerge }: ChangedProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="note-box changed" role="status">
      <div class="toolbar">
        <span>
          It was changed{by === '' ? '' : ` by ${by}`} since your draft began. A dry run merges both, or says where they
          conflict.
        </span>
        <span class="spacer" />
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          What has changed
        </button>
        <button type="button" class="primary" onClick={onMerge}>
          Merge
        </button>
      </div>
      {isOpen && <DiffView lines={changesOf(diffLines(base, stored))} />}
    </div>
  );
}

interface ConflictsProps {
  readonly conflicts: readonly Conflict[];
  /** Called with the conflicts at which the value of the others is chosen. */
  readonly onResolve: (theirs: readonly Conflict[]) => void;
  readonly onCancel: () => void;
}

/** Asks for each field that both sides have changed whose value shall be in the draft. */
export function Conflicts({ conflicts, onResolve, onCancel }: ConflictsProps) {
  const [chosen, setChosen] = useState<ReadonlySet<Conflict>>(new Set());
  const choose = (conflict: Conflict, isTheirs: boolean) => {
    const next = new Set(chosen);
    if (isTheirs) next.add(conflict);
    else next.delete(conflict);
    setChosen(next);
  };
  return (
    <section class="preview conflicts" aria-label="Conflicts">
      <div class="toolbar">
        <b>{conflicts.length === 1 ? 'One field was' : `${conflicts.length} fields were`} changed by both of you</b>
        <span class="spacer" />
        <button type="button" onClick={onCancel}>
          Not now
        </button>
        <button type="button" class="primary" onClick={() => onResolve(conflicts.filter((one) => chosen.has(one)))}>
          Merge
        </button>
      </div>
      {conflicts.map((conflict, at) => (
        <fieldset key={at}>
          <legend>
            <code>{conflict.field}</code>
          </legend>
          <Choice
            name={`conflict-${at}`}
            title="yours"
            value={conflict.yours}
            isChosen={!chosen.has(conflict)}
            onChoose={() => choose(conflict, false)}
          />
          <Choice
            name={`conflict-${at}`}
            title="theirs"
            value={conflict.theirs}
            isChosen={chosen.has(conflict)}
            onChoose={() => choose(conflict, true)}
          />
        </fieldset>
      ))}
    </section>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly title: string;
  readonly value: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Choice({ name, title, value, isChosen, onChoose }: ChoiceProps) {
  return (
    <label>
      <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
      {title} <code>{value === '' ? '(removed)' : value}</code>
    </label>
  );
}
