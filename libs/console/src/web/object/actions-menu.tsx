import { useRef, useState } from 'preact/hooks';
import { pathOf, type Kind } from '../api/kinds.ts';
import { Confirm, Dialog, fieldOf, useLoaded } from '../parts/parts.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { age } from '../parts/units.ts';
import type { StoredObject } from '../api/stored-object.ts';
import { canDrain, DrainDialog } from './drain-dialog.tsx';
import {
  canRunNow,
  canScale,
  hasRevisions,
  patchActionsOf,
  readReplicas,
  revisionsOf,
  runNow,
  runPatch,
  scale,
  type PatchAction,
} from './actions.ts';

interface Props {
  readonly kind: Kind;
  readonly object: StoredObject;
  /** Called with what was done, or with what was thrown. */
  readonly onDone: (done: string) => void;
  readonly onFailed: (error: unknown) => void;
}

type Asked = 'scale' | 'drain' | 'revisions' | 'run' | PatchAction;

/** What can be done with an object besides writing and deleting it. Each action asks first. */
export function ActionsMenu({ kind, object, onDone, onFailed }: Props) {
  const [asked, setAsked] = useState<Asked>();
  const menu = useRef<HTMLDetailsElement>(null);
  const { namespace = '', name } = object.metadata;
  const path = pathOf(kind, namespace, name);
  const patches = patchActionsOf(kind).filter(({ isOffered }) => isOffered(object));
  const items: readonly (readonly [string, Asked])[] = [
    ...(canScale(kind) ? [['Scale', 'scale'] as const] : []),
    ...(hasRevisions(kind) ? [['Roll back', 'revisions'] as const] : []),
    ...(canDrain(kind) ? [['Drain', 'drain'] as const] : []),
    ...(canRunNow(kind) ? [['Run now', 'run'] as const] : []),
    ...patches.map((action) => [action.title, action] as const),
  ];
  if (items.length === 0) return null;
  const run = (done: string, work: () => Promise<unknown>) => {
    setAsked(undefined);
    work().then(() => onDone(done), onFailed);
  };
  const cancel = () => setAsked(undefined);
  const shared = { kind, object, path, run, onCancel: cancel };
  return (
    <>
      <details class="menu" ref={menu}>
        <summary class="button">Actions</summary>
        <div class="menu-body">
          {items.map(([title, item]) => (
            <button
              type="button"
              key={title}
              onClick={() => {
                menu.current?.removeAttribute('open');
                setAsked(item);
              }}
            >
              {title}
            </button>
          ))}
        </div>
      </details>
      {asked === 'scale' && <ScaleDialog {...shared} />}
      {asked === 'revisions' && <RevisionsDialog {...shared} />}
      {asked === 'drain' && <DrainDialog node={name} path={path} onClose={cancel} />}
      {asked === 'run' && (
        <Confirm
          title={`Run ${name} now?`}
          text="A Job is created from its template, besides those of its schedule."
          action="Run now"
          onConfirm={() => run('A Job was created.', () => runNow(object))}
          onCancel={cancel}
        />
      )}
      {typeof asked === 'object' && (
        <Confirm
          title={`${asked.title}: ${kind.kind} ${name}?`}
          text={asked.effect}
          action={asked.title}
          onConfirm={() => run(`${asked.title}: done.`, () => runPatch(path, asked))}
          onCancel={cancel}
        />
      )}
    </>
  );
}

interface DialogProps extends Pick<Props, 'kind' | 'object'> {
  readonly path: string;
  readonly run: (done: string, work: () => Promise<unknown>) => void;
  readonly onCancel: () => void;
}

function ScaleDialog({ kind, object, path, run, onCancel }: DialogProps) {
  const { value, error } = useLoaded(() => readReplicas(path), [path]);
  return (
    <Dialog title={`Scale ${kind.kind} ${object.metadata.name}`} onClose={onCancel}>
      {error !== undefined && <Refusal error={error} />}
      {value !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const replicas = Number(fieldOf(event.currentTarget, 'replicas'));
            run(`Scaled from ${value} to ${replicas}.`, () => scale(path, replicas));
          }}
        >
          <label>
            Replicas <input name="replicas" type="number" min="0" step="1" required autoFocus defaultValue={value} />
          </label>
          <div class="actions">
            <button type="button" onClick={onCancel}>
              Cancel
            </button>
            <button class="primary">Scale</button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function RevisionsDialog({ kind, object, path, run, onCancel }: DialogProps) {
  const { value, error } = useLoaded(() => revisionsOf(kind, object), [path]);
  return (
    <Dialog title={`Roll back ${kind.kind} ${object.metadata.name}`} onClose={onCancel}>
      {error !== undefined && <Refusal error={error} />}
      {value?.length === 0 && <p class="quiet">There is no revision before this one.</p>}
      <ul class="revisions">
        {(value ?? []).map(({ number, about, created, goBack }) => (
          <li key={number}>
            <span>
              Revision {number}, {age(created)} old <span class="quiet">{about}</span>
            </span>
            <button
              type="button"
              onClick={() => run(`Rolled back to revision ${number}.`, () => goBack(path))}
              aria-label={`Roll back to revision ${number}`}
            >
              Roll back
            </button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" autoFocus onClick={onCancel}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
