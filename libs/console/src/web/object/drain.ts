import { ApiError, getJson, messageOf, postJson } from '../api/api.ts';
import { fields, isOfController, list, text, type StoredObject } from '../api/stored-object.ts';
import { pause } from '../api/while-visible.ts';

/** What happens to a pod of a node that is drained. */
export interface DrainedPod {
  /** `shop/web-1` */
  readonly key: string;
  readonly uid: string;
  /** `left` stays, `waits` for a disruption budget, `evicted` is ending, `gone` no longer exists. */
  readonly state: 'left' | 'asked' | 'waits' | 'evicted' | 'gone' | 'failed';
  /** Why it is left or waits. */
  readonly reason: string;
}

/** What draining a node needs of the API. */
export interface DrainApi {
  /** The pods of a node. Throws ApiError. */
  pods(node: string): Promise<readonly StoredObject[]>;
  /** https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/ Throws ApiError: 429 while a budget does not allow it. */
  evict(pod: StoredObject): Promise<unknown>;
  /** The uid of the pod that has this name now; empty when there is none. */
  uidOf(pod: StoredObject): Promise<string>;
}

const pathOfPod = ({ metadata: { namespace = '', name } }: StoredObject): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;

/** The API of the session. */
export const drainApi: DrainApi = {
  pods: async (node) => {
    const selector = encodeURIComponent(`spec.nodeName=${node}`);
    const { items } = await getJson<{ readonly items?: readonly StoredObject[] }>(
      `/api/v1/pods?fieldSelector=${selector}`,
    );
    return items ?? [];
  },
  evict: (pod) => {
    const { name, namespace, uid } = pod.metadata;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    return postJson(`${pathOfPod(pod)}/eviction`, { ...eviction, deleteOptions: { preconditions: { uid } } });
  },
  uidOf: async (pod) => {
    try {
      return (await getJson<StoredObject>(pathOfPod(pod))).metadata.uid ?? '';
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return '';
      throw error;
    }
  },
};

/** Why a pod stays on a node that is drained, as with `kubectl drain --ignore-daemonsets`; undefined when it is evicted. */
export function reasonToStay(pod: StoredObject, withUnmanaged: boolean): string | undefined {
  const { metadata, status } = pod;
  if (metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return 'it is static: its node runs it';
  const phase = text(status?.['phase']);
  if (phase === 'Succeeded' || phase === 'Failed') return undefined;
  if (isOfController(metadata, 'DaemonSet')) return 'it is of a DaemonSet, which would make it again';
  if (!withUnmanaged && !isOfController(metadata)) return 'it has no controller that would make it again';
  return undefined;
}

/** Whether a pod has data that ends with it. */
export const hasLocalData = ({ spec }: StoredObject): boolean =>
  list(fields(spec)['volumes']).some(({ emptyDir }) => emptyDir !== undefined);

const keyOf = ({ metadata: { namespace = '', name } }: StoredObject): string => `${namespace}/${name}`;

interface DrainOptions {
  readonly api: DrainApi;
  readonly pods: readonly StoredObject[];
  /** Also pods that nobody makes again. */
  readonly withUnmanaged: boolean;
  /** Called with all pods, after each step. */
  readonly show: (pods: readonly DrainedPod[]) => void;
  readonly signal: AbortSignal;
  /** Milliseconds between two attempts. */
  readonly retryMs?: number;
}

/**
 * Evicts pods, and resolves when all that are not left are gone or have failed, or the signal aborts. A pod whose disruption budget does not allow it is
 * asked for again and again.
 */
export async function drain({ api, pods, withUnmanaged, show, signal, retryMs = 3000 }: DrainOptions): Promise<void> {
  const results = new Map<StoredObject, DrainedPod>();
  const set = (pod: StoredObject, state: DrainedPod['state'], reason = '') => {
    results.set(pod, { key: keyOf(pod), uid: pod.metadata.uid ?? '', state, reason });
    show([...results.values()]);
  };
  for (const pod of pods) {
    const reason = reasonToStay(pod, withUnmanaged);
    set(pod, reason === undefined ? 'asked' : 'left', reason);
  }
  const step = async (pod: StoredObject) => {
    const state = results.get(pod)?.state;
    if (state === 'asked' || state === 'waits') await api.evict(pod).then(() => set(pod, 'evicted'));
    else if ((await api.uidOf(pod)) !== pod.metadata.uid) set(pod, 'gone');
  };
  const open = () => pods.filter((pod) => ['asked', 'waits', 'evicted'].includes(results.get(pod)?.state ?? ''));
  for (let rest = open(); rest.length > 0 && !signal.aborted; rest = open()) {
    await Promise.all(
      rest.map((pod) =>
        step(pod).catch((error: unknown) => {
          const code = error instanceof ApiError ? error.status : -1;
          if (code === 404) set(pod, 'gone');
          else if (code === 409) set(pod, 'gone', 'another pod has its name');
          else if (code === 429 || code === 0 || code >= 500)
            set(pod, results.get(pod)?.state === 'evicted' ? 'evicted' : 'waits', messageOf(error));
          else set(pod, 'failed', messageOf(error));
        }),
      ),
    );
    if (open().length > 0) await pause(retryMs, signal);
  }
}
