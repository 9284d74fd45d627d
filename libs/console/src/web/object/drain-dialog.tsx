import { useEffect, useRef, useState } from 'preact/hooks';
import type { Kind } from '../api/kinds.ts';
import type { StoredObject } from '../api/stored-object.ts';
import { nameOf } from '../shell/kind-groups.ts';
import { Badge, Dialog, Table, useLoaded, type Mood } from '../parts/parts.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { cordon } from './actions.ts';
import { drain, drainApi, hasLocalData, reasonToStay, type DrainedPod } from './drain.ts';

export const canDrain = (kind: Kind): boolean => nameOf(kind) === 'nodes';

interface Props {
  readonly node: string;
  /** Of the node. */
  readonly path: string;
  readonly onClose: () => void;
}

const moods: Readonly<Record<DrainedPod['state'], Mood>> = {
  ...{ left: 'plain', asked: 'plain', waits: 'warn', evicted: 'plain', gone: 'good', failed: 'bad' },
};

/** Asks before a node is drained, and shows what happens to each of its pods. */
export function DrainDialog({ node, path, onClose }: Props) {
  const { value: pods, error } = useLoaded(() => drainApi.pods(node), [node]);
  const [withUnmanaged, setWithUnmanaged] = useState(false);
  const [results, setResults] = useState<readonly DrainedPod[]>();
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (all: readonly StoredObject[]) => {
    const { signal } = (running.current = new AbortController());
    setRunning(true);
    setResults([]);
    try {
      await cordon(path);
      await drain({ api: drainApi, pods: all, withUnmanaged, show: setResults, signal });
    } catch (refusal) {
      setProblem(refusal);
    } finally {
      setRunning(false);
    }
  };
  const failure = error ?? problem;
  return (
    <Dialog title={`Drain ${node}`} onClose={onClose}>
      {failure !== undefined && <Refusal error={failure} />}
      {results === undefined ? (
        pods !== undefined && <Question {...{ pods, withUnmanaged, setWithUnmanaged }} />
      ) : (
        <Results results={results} isRunning={isRunning} />
      )}
      <div class="actions">
        {isRunning ? (
          <button type="button" onClick={() => running.current?.abort()}>
            Stop
          </button>
        ) : (
          <button type="button" autoFocus onClick={onClose}>
            {results === undefined ? 'Cancel' : 'Close'}
          </button>
        )}
        {results === undefined && pods !== undefined && (
          <button type="button" class="danger" onClick={() => void run(pods)}>
            Drain
          </button>
        )}
      </div>
    </Dialog>
  );
}

interface QuestionProps {
  readonly pods: readonly StoredObject[];
  readonly withUnmanaged: boolean;
  readonly setWithUnmanaged: (value: boolean) => void;
}

function Question({ pods, withUnmanaged, setWithUnmanaged }: QuestionProps) {
  const evicted = pods.filter((pod) => reasonToStay(pod, withUnmanaged) === undefined);
  const unmanaged = pods.filter((pod) => reasonToStay(pod, true) === undefined).length - evicted.length;
  const local = evicted.filter(hasLocalData).length;
  return (
    <>
      <p>
        No pods are scheduled to it any more, and {evicted.length} of its {pods.length} pods are evicted, as far as
        disruption budgets allow it. {local > 0 && `The data of emptyDir volumes of ${local} pods is lost.`}
      </p>
      {(unmanaged > 0 || withUnmanaged) && (
        <label class="switch">
          <input type="checkbox" checked={withUnmanaged} onChange={() => setWithUnmanaged(!withUnmanaged)} />
          also pods without a controller, which nobody makes again
        </label>
      )}
    </>
  );
}

function Results({ results, isRunning }: { readonly results: readonly DrainedPod[]; readonly isRunning: boolean }) {
  const count = (...states: readonly DrainedPod['state'][]) =>
    results.filter(({ state }) => states.includes(state)).length;
  const [gone, left, open] = [count('gone'), count('left', 'failed'), count('asked', 'waits', 'evicted')];
  return (
    <>
      <p role="status">
        {gone} gone, {left} left{open > 0 && `, ${open} to go`}
        {!isRunning && (open > 0 ? '. Stopped: the node stays cordoned.' : '. Done: the node is drained and cordoned.')}
      </p>
      <div class="drained" tabIndex={0} role="group" aria-label="Pods of the node">
        <Table columns={['Pod', 'State']}>
          {results.map(({ key, state, reason }) => (
            <tr key={key}>
              <td class="wrap">{key}</td>
              <td class="wrap">
                <Badge kind={moods[state]}>{state}</Badge> {reason}
              </td>
            </tr>
          ))}
        </Table>
      </div>
    </>
  );
}
