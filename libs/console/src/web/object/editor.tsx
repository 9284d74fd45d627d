import { useRef } from 'preact/hooks';
import { Highlighted } from '../parts/highlight.tsx';
import type { Finding } from './validate.ts';

interface EditorProps {
  readonly text: string;
  readonly findings: readonly Finding[];
  /** Lines that the server has refused; undefined for what is not in the text. */
  readonly refusedLines?: readonly (number | undefined)[];
  readonly isReadOnly: boolean;
  readonly onInput: (text: string) => void;
  /** Ctrl-S or Command-S. */
  readonly onSave: () => void;
  /** Gets the function that moves the cursor to a line. */
  readonly goToLine?: { current: (line: number) => void };
}

/** Pixels, as in the style sheet. */
const lineHeight = 20;

/** Texts above this size are shown without colours, so that typing stays quick. */
const maxColoured = 200_000;

/** A text field over the same text in colours, with line numbers. Tab leaves it, as it leaves every field. */
export function Editor({ text, findings, refusedLines = [], isReadOnly, onInput, onSave, goToLine }: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const marks = new Set([...findings.map(({ line }) => line), ...refusedLines]);
  const lines = text.split('\n').length;
  const isColoured = text.length <= maxColoured;
  const goTo = (line: number) => {
    const field = area.current;
    if (field === null) return;
    const start = text.split('\n', line - 1).reduce((sum, part) => sum + part.length + 1, 0);
    field.focus();
    // The field is as high as its text, so the box around it scrolls.
    const box = field.closest('.editor');
    if (box !== null) box.scrollTop = (line - 1) * lineHeight - box.clientHeight / 2;
    field.setSelectionRange(start, start + (text.split('\n')[line - 1]?.length ?? 0));
  };
  if (goToLine !== undefined) goToLine.current = goTo;
  return (
    <>
      {findings.length > 0 && (
        <ul class="findings" aria-label="Problems">
          {findings.map(({ line, path, message }, at) => (
            <li key={at}>
              <button type="button" class="plain" onClick={() => goTo(line)}>
                line {line}
              </button>
              <span>
                {path !== '' && <code>{path}</code>} {message}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div class="editor">
        <pre class="numbers" aria-hidden="true">
          {Array.from({ length: lines }, (_, at) => (
            <div key={at} class={marks.has(at + 1) ? 'marked' : undefined}>
              {at + 1}
            </div>
          ))}
        </pre>
        <div class={isColoured ? 'code coloured' : 'code'}>
          {isColoured && (
            <pre class="colours" aria-hidden="true">
              <Highlighted text={text} marks={marks} />
            </pre>
          )}
          <textarea
            ref={area}
            aria-label="YAML"
            spellcheck={false}
            autocomplete="off"
            wrap="off"
            rows={lines}
            readOnly={isReadOnly}
            value={text}
            onInput={(event) => onInput(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              onSave();
            }}
          />
        </div>
      </div>
    </>
  );
}
