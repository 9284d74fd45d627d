import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/api.ts';
import { changesOf, diffLines, type DiffLine } from './diff.ts';
import { Editor } from './editor.tsx';
import { groupVersionOf, type Kind } from '../api/kinds.ts';
import type { Mode } from './manifest.ts';
import { forgetOpenApi, kindsOf, openApiOf, type OpenApiDocument, type Schema } from '../api/openapi.ts';
import { Problem, useLoaded } from '../parts/parts.tsx';
import { validateYaml, type Finding } from './validate.ts';

interface YamlViewProps {
  readonly kind: Kind;
  /** The text to begin with, and to compare with. Undefined for an object that does not exist yet. */
  readonly original: string | undefined;
  readonly initial: string;
  readonly isWritable: boolean;
  /** Writes the text, or asks what it would become. Returns the YAML of the result. */
  readonly onWrite: (text: string, options: WriteOptions) => Promise<string>;
  readonly onWritten: (result: string) => void;
}

export interface WriteOptions {
  readonly mode: Mode;
  readonly dryRun: boolean;
  readonly force: boolean;
}

const validationDelayMs = 250;

/** An editor whose text is checked against the schema while one types, dry-run by the server, compared, and only then written. */
export function YamlView({ kind, original, initial, isWritable, onWrite, onWritten }: YamlViewProps) {
  const [text, setText] = useState(initial);
  const [mode, setMode] = useState<Mode>('update');
  const [force, setForce] = useState(false);
  const [preview, setPreview] = useState<readonly DiffLine[]>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const findings = useFindings(kind, text);
  const isChanged = text !== initial || original === undefined;
  useEffect(() => setText(initial), [initial]);

  const run = async (dryRun: boolean) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const result = await onWrite(text, { mode, dryRun, force });
      if (dryRun) setPreview(changesOf(diffLines(original ?? '', result)));
      else {
        setPreview(undefined);
        forgetOpenApi(groupVersionOf(kind));
        onWritten(result);
      }
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  const edit = (changed: string) => {
    setText(changed);
    setPreview(undefined);
    setProblem(undefined);
  };
  return (
    <section class="yaml" aria-label="YAML">
      {isWritable && (
        <div class="toolbar">
          {original !== undefined && (
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
          <span class="spacer" />
          <button type="button" disabled={!isChanged || isBusy} onClick={() => edit(initial)}>
            Reset
          </button>
          <button type="button" class="primary" disabled={!isChanged || isBusy} onClick={() => void run(true)}>
            Dry run
          </button>
        </div>
      )}
      {problem !== undefined && <Problem text={problem} />}
      {preview !== undefined && (
        <Preview lines={preview} isNew={original === undefined} isBusy={isBusy} onWrite={() => void run(false)} />
      )}
      <Editor text={text} findings={findings} isReadOnly={!isWritable} onInput={edit} onSave={() => void run(true)} />
    </section>
  );
}

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
      <pre class="diff">
        {lines.map(({ kind, text }, at) => (
          <div key={at} class={kind}>
            {kind === 'gap' ? '⋯' : `${{ same: ' ', added: '+', removed: '−' }[kind]} ${text}`}
          </div>
        ))}
      </pre>
    </section>
  );
}

interface PreviewProps {
  readonly lines: readonly DiffLine[];
  readonly isNew: boolean;
  readonly isBusy: boolean;
  readonly onWrite: () => void;
}

/** Checks the text a moment after the last change. Without a schema only the syntax is checked. */
function useFindings(kind: Kind, text: string): readonly Finding[] {
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const groupVersion = groupVersionOf(kind);
  const { value } = useLoaded(() => schemaOf(groupVersion, kind.kind), [groupVersion, kind.kind]);
  useEffect(() => {
    const timer = setTimeout(() => setFindings(validateYaml(text, value?.document, value?.schema)), validationDelayMs);
    return () => clearTimeout(timer);
  }, [text, value]);
  return findings;
}

async function schemaOf(
  groupVersion: string,
  kind: string,
): Promise<{ readonly document: OpenApiDocument; readonly schema: Schema | undefined }> {
  const document = await openApiOf(groupVersion);
  return { document, schema: kindsOf(document, groupVersion).get(kind) };
}
