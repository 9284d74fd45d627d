import { useEffect, useRef, useState } from 'preact/hooks';
import { pathOf, type Kind } from '../api/kinds.ts';
import type { StoredObject } from '../api/stored-object.ts';
import { fieldOf } from '../parts/parts.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { execute, type Execution } from './exec.ts';
import { containersOf } from './logs-tab.tsx';

/** Parts of output that are kept. */
const maxParts = 2000;

/** Runs command lines in a container, one after the other. */
export function TerminalTab({ kind, pod }: { readonly kind: Kind; readonly pod: StoredObject }) {
  const { namespace = '', name } = pod.metadata;
  const containers = containersOf(pod);
  const [container, setContainer] = useState(containers[0] ?? '');
  const [output, setOutput] = useState<readonly (Execution | { readonly kind: 'command'; readonly text: string })[]>(
    [],
  );
  const [problem, setProblem] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  const [isRunning, setRunning] = useState(false);
  useEffect(() => () => running.current?.abort(), []);
  const add = (part: (typeof output)[number]) => setOutput((before) => [...before, part].slice(-maxParts));
  const run = async (form: HTMLFormElement) => {
    const command = fieldOf(form, 'command');
    if (command === '' || isRunning) return;
    form.reset();
    add({ kind: 'command', text: `$ ${command}\n` });
    setProblem(undefined);
    setRunning(true);
    const controller = new AbortController();
    running.current = controller;
    try {
      await execute(pathOf(kind, namespace, name), container, command, add, controller.signal);
    } catch (error) {
      setProblem(error);
    } finally {
      setRunning(false);
    }
  };
  return (
    <section aria-label="Terminal">
      <form
        class="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          void run(event.currentTarget);
        }}
      >
        <label>
          Container{' '}
          <select value={container} onChange={(event) => setContainer(event.currentTarget.value)}>
            {containers.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <input
          class="wide"
          name="command"
          aria-label="Command"
          placeholder="ls -l /"
          spellcheck={false}
          autocomplete="off"
        />
        <button class="primary" disabled={isRunning}>
          Run
        </button>
        <button type="button" disabled={!isRunning} onClick={() => running.current?.abort()}>
          Stop
        </button>
      </form>
      {problem !== undefined && <Refusal error={problem} />}
      <pre class="log" tabIndex={0} role="log" aria-label="Output">
        {output.map(({ kind: of, text }, at) => (
          <span key={at} class={`exec-${of}`}>
            {of === 'end' && text !== '' ? `${text}\n` : text}
          </span>
        ))}
      </pre>
    </section>
  );
}
