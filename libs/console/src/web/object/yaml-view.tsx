import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/api.ts';
import { groupVersionOf, type Kind } from '../api/kinds.ts';
import { forgetOpenApi, kindsOf, openApiOf, type OpenApiDocument, type Schema } from '../api/openapi.ts';
import { Confirm, useLoaded } from '../parts/parts.tsx';
import { causesOf, Refusal } from '../parts/refusal.tsx';
import { groupOf } from '../shell/kind-groups.ts';
import { ChangedNote, Conflicts } from './changed-note.tsx';
import { changesOf, diffLines, type DiffLine } from './diff.ts';
import { DiffView } from './diff-view.tsx';
import { drafts, useDraft, type Draft } from './drafts.ts';
import { Editor } from './editor.tsx';
import { fieldLines } from './field-lines.ts';
import { FormView } from './form-view.tsx';
import { isOfServer, type Mode } from './manifest.ts';
import { merge, takeTheirs, type Conflict } from './merge.ts';
import { validateYaml, type Finding } from './validate.ts';

interface YamlViewProps {
  readonly kind: Kind;
  /** What is stored; undefined for an object that does not exist yet. */
  readonly stored: string | undefined;
  /** The text to begin with when nothing is stored. */
  readonly template?: string;
  /** Where the draft is kept. */
  readonly draftKey: string;
  readonly draftOf: Pick<Draft, 'title' | 'href' | 'hidden'>;
  /** Who has written what is stored; empty when it is not known. */
  readonly by?: string;
  readonly isWritable: boolean;
  /** Writes the text, or asks what it would become. Returns the YAML of the result. */
  readonly onWrite: (text: string, options: WriteOptions) => Promise<string>;
  readonly onWritten?: (result: string) => void;
  /** Called when the server has another version than the one that was read. */
  readonly onOutdated?: () => void;
}

export interface WriteOptions {
  readonly mode: Mode;
  readonly dryRun: boolean;
  readonly force: boolean;
}

const validationDelayMs = 250;

/**
 * An editor whose text is checked against the schema while one types, dry-run by the server, compared, and only then written. What differs from what is
 * stored is a draft, which outlasts the view and is merged with what others write meanwhile.
 */
export function YamlView(props: YamlViewProps) {
  const { kind, stored, template = '', draftKey, draftOf, by = '', isWritable, onWrite, onWritten, onOutdated } = props;
  const draft = useDraft(draftKey);
  const text = draft?.text ?? stored ?? template;
  const [mode, setMode] = useState<Mode>('update');
  const [force, setForce] = useState(false);
  const [preview, setPreview] = useState<readonly DiffLine[]>();
  const [problem, setProblem] = useState<unknown>();
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const goToLine = useRef<(line: number) => void>(() => undefined);
  const [showsForm, setShowsForm] = useState(false);
  const known = useSchema(kind);
  const findings = useFindings(text, known);
  const hasForm = isWritable && groupOf(kind) === 'Custom' && known?.schema !== undefined;
  const isNew = stored === undefined;
  const isOutdated = draft?.base !== undefined && stored !== undefined && draft.base !== stored;
  const isOfOthers = useMemo(
    () => isOutdated && !isOfServer(draft.base ?? '', stored),
    [isOutdated, draft?.base, stored],
  );
  const lineOf = useMemo(() => (problem === undefined ? undefined : fieldLines(text)), [problem, text]);
  const refusedLines = causesOf(problem).map(({ field = '' }) => lineOf?.(field));

  const keep = (changed: string, base: string | undefined) => {
    if (changed === (base ?? template)) drafts.discard(draftKey);
    else drafts.set(draftKey, { since: Date.now(), ...draft, ...draftOf, base, text: changed });
  };
  const edit = (changed: string) => {
    keep(changed, draft === undefined ? stored : draft.base);
    setPreview(undefined);
    setProblem(undefined);
    setConflicts([]);
  };
  /** The draft with what is stored now; undefined when somebody has to choose first. */
  const merged = (): string | undefined => {
    if (draft?.base === undefined || stored === undefined || !isOutdated) return text;
    const result = merge(draft.base, text, stored);
    setConflicts(result.conflicts);
    if (result.conflicts.length > 0) return undefined;
    keep(result.text, stored);
    return result.text;
  };
  const run = async (dryRun: boolean) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const written = merged();
      if (written === undefined) return;
      const result = await onWrite(written, { mode, dryRun, force });
      if (dryRun) setPreview(changesOf(diffLines(stored ?? '', result)));
      else {
        setPreview(undefined);
        forgetOpenApi(groupVersionOf(kind));
        drafts.discard(draftKey);
        onWritten?.(result);
      }
    } catch (error) {
      setProblem(error);
      setPreview(undefined);
      if (mode === 'update' && error instanceof ApiError && error.status === 409) onOutdated?.();
    } finally {
      setBusy(false);
    }
  };
  const resolve = (theirs: readonly Conflict[]) => {
    if (draft?.base === undefined || stored === undefined) return;
    keep(takeTheirs(merge(draft.base, text, stored).text, theirs), stored);
    setConflicts([]);
  };
  const tryMerge = () => {
    try {
      merged();
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <section class="yaml" aria-label="YAML">
      {isWritable && (
        <div class="toolbar">
          {!isNew && (
            <label>
              Write by{' '}
              <select
                value={mode}
                onChange={(event) => setMode(event.currentTarget.value === 'apply' ? 'apply' : 'update')}
              >
                <option value="update">update</option>
                <option value="apply">server-side apply</option>
              </select>
            </label>
          )}
          {mode === 'apply' && (
            <label class="switch">
              <input type="checkbox" checked={force} onChange={() => setForce(!force)} />
              take over fields of others
            </label>
          )}
          <span class="quiet" role="status">
            {draft === undefined ? '' : `Your draft of ${new Date(draft.since).toLocaleTimeString()}, kept in this tab`}
          </span>
          <span class="spacer" />
          {hasForm && (
            <label class="switch">
              <input type="checkbox" checked={showsForm} onChange={() => setShowsForm(!showsForm)} />
              form
            </label>
          )}
          <button type="button" disabled={draft === undefined || isBusy} onClick={() => setAsking(true)}>
            Discard draft
          </button>
          <button
            type="button"
            class="primary"
            disabled={(draft === undefined && !isNew) || isBusy}
            onClick={() => void run(true)}
          >
            Dry run
          </button>
        </div>
      )}
      {isOfOthers && conflicts.length === 0 && (
        <ChangedNote base={draft?.base ?? ''} stored={stored ?? ''} by={by} onMerge={tryMerge} />
      )}
      {conflicts.length > 0 && (
        <Conflicts conflicts={conflicts} onResolve={resolve} onCancel={() => setConflicts([])} />
      )}
      {problem !== undefined && <Refusal error={problem} {...lineProps(lineOf, goToLine.current)} />}
      {preview !== undefined && (
        <Preview lines={preview} isNew={isNew} isBusy={isBusy} onWrite={() => void run(false)} />
      )}
      <div class={showsForm ? 'beside' : undefined}>
        {showsForm && known?.schema !== undefined && (
          <FormView document={known.document} schema={known.schema} text={text} onInput={edit} />
        )}
        <Editor
          text={text}
          findings={findings}
          refusedLines={refusedLines}
          isReadOnly={!isWritable}
          onInput={edit}
          onSave={() => void run(true)}
          goToLine={goToLine}
        />
      </div>
      {isAsking && draft !== undefined && (
        <Confirm
          title="Discard your draft?"
          text={`What you have typed for ${draft.title} since ${new Date(draft.since).toLocaleTimeString()} is lost.`}
          action="Discard"
          onConfirm={() => {
            setAsking(false);
            edit(draft.base ?? template);
            drafts.discard(draftKey);
          }}
          onCancel={() => setAsking(false)}
        />
      )}
    </section>
  );
}

const lineProps = (lineOf: ((field: string) => number | undefined) | undefined, onLine: (line: number) => void) =>
  lineOf === undefined ? {} : { lineOf, onLine };

/** What the server would store, and the button that does it. */
function Preview({ lines, isNew, isBusy, onWrite }: PreviewProps) {
  if (lines.length === 0) return <p class="note-box">The server accepts it, and nothing would change.</p>;
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return (
    <section class="preview" aria-label="Result of the dry run">
      <div class="toolbar">
        <span>
          The server accepts it. {isNew ? 'It would store this' : 'It would change this'}: <b>+{count('added')}</b>{' '}
          {!isNew && <b>−{count('removed')}</b>} lines
        </span>
        <span class="spacer" />
        <button type="button" class="primary" disabled={isBusy} onClick={onWrite}>
          {isNew ? 'Create' : 'Apply'}
        </button>
      </div>
      <DiffView lines={lines} />
    </section>
  );
}

interface PreviewProps {
  readonly lines: readonly DiffLine[];
  readonly isNew: boolean;
  readonly isBusy: boolean;
  readonly onWrite: () => void;
}

/** The schema of a kind, and the document that it is in. */
interface KnownSchema {
  readonly document: OpenApiDocument;
  readonly schema: Schema | undefined;
}

/** Undefined until it was read. */
function useSchema(kind: Kind): KnownSchema | undefined {
  const groupVersion = groupVersionOf(kind);
  return useLoaded(() => schemaOf(groupVersion, kind.kind), [groupVersion, kind.kind]).value;
}

async function schemaOf(groupVersion: string, kind: string): Promise<KnownSchema> {
  const document = await openApiOf(groupVersion);
  return { document, schema: kindsOf(document, groupVersion).get(kind) };
}

/** Checks the text a moment after the last change. Without a schema only the syntax is checked. */
function useFindings(text: string, known: KnownSchema | undefined): readonly Finding[] {
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => setFindings(validateYaml(text, known?.document, known?.schema)), validationDelayMs);
    return () => clearTimeout(timer);
  }, [text, known]);
  return findings;
}
