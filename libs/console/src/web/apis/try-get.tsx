import { useState } from 'preact/hooks';
import { send } from '../api/api.ts';
import { Badge } from '../parts/parts.tsx';
import { milliseconds } from '../parts/units.ts';
import { Refusal } from '../parts/refusal.tsx';
import { moodOf } from '../requests/requests-view.tsx';

interface Result {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly bytes: number;
  readonly took: number;
}

/** Characters of a response that are shown. */
const maxShown = 100_000;
/** Characters that are read: a longer response is cut off. */
const maxRead = 8_000_000;

/** Sends a GET with the user's rights and shows the response. */
export function TryGet({ start, paths }: { readonly start: string; readonly paths: readonly string[] }) {
  const [path, setPath] = useState(start);
  const [result, setResult] = useState<Result>();
  const [problem, setProblem] = useState<unknown>();
  const run = async (event: SubmitEvent) => {
    event.preventDefault();
    setProblem(undefined);
    try {
      setResult(await get(path));
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <section class="try" aria-label="Try a GET">
      <h2>Try a GET</h2>
      <form class="toolbar" onSubmit={(event) => void run(event)}>
        <input
          class="wide"
          aria-label="Path"
          list="try-paths"
          value={path}
          spellcheck={false}
          onInput={(event) => setPath(event.currentTarget.value)}
        />
        <datalist id="try-paths">
          {paths.map((known) => (
            <option key={known} value={known} />
          ))}
        </datalist>
        <button class="primary">Send</button>
      </form>
      {problem !== undefined && <Refusal error={problem} />}
      {result !== undefined && (
        <>
          <p class="quiet">
            <Badge kind={moodOf(result.status)}>{result.status}</Badge> {result.type}, {result.bytes} characters,{' '}
            {milliseconds(result.took)}
          </p>
          <pre class="received" tabIndex={0}>
            {result.text}
          </pre>
        </>
      )}
    </section>
  );
}

async function get(path: string): Promise<Result> {
  if (!path.startsWith('/')) throw new Error('a path begins with a slash');
  const since = performance.now();
  const response = await send(path, { headers: { Accept: 'application/json, */*' } });
  const whole = await readSome(response);
  const type = response.headers.get('Content-Type') ?? '';
  const text = type.includes('json') ? indented(whole) : whole;
  return {
    ...{ status: response.status, type, bytes: whole.length, took: performance.now() - since },
    text: text.length > maxShown ? `${text.slice(0, maxShown)}\n… ${text.length - maxShown} more characters` : text,
  };
}

/** A watch never ends, so reading stops after some text or time. */
const maxMs = 5000;

async function readSome({ body }: Response): Promise<string> {
  if (body === null) return '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const late = setTimeout(() => void reader.cancel(), maxMs);
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    if (text.length > maxRead) await reader.cancel();
  }
  clearTimeout(late);
  return text;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
