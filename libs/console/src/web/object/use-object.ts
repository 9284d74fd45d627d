import { useEffect, useState } from 'preact/hooks';
import { parse } from 'yaml';
import { ApiError, isForbidden } from '../api/api.ts';
import { pathOf, type Kind } from '../api/kinds.ts';
import { watch } from '../api/watch.ts';
import { pause, whileVisible } from '../api/while-visible.ts';
import { readManifest, yamlVersion } from './manifest.ts';

/** An object that is followed. */
interface ObjectState {
  /** The YAML of the newest version; undefined until it was read. */
  readonly stored?: string;
  readonly isDeleted: boolean;
  /** Why it cannot be read. */
  readonly error?: unknown;
}

interface FollowedObject extends ObjectState {
  /** Reads it again. */
  readonly reload: () => void;
  /** Takes the YAML that a write has returned. */
  readonly take: (stored: string) => void;
}

/** Between two reads where a watch is refused, and before another attempt. */
const retryMs = 2000;
const metadataOnly = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

/** Reads an object, and follows it by a watch while the page is visible. */
export function useObject(kind: Kind, namespace: string, name: string): FollowedObject {
  const path = pathOf(kind, namespace, name);
  const [state, setState] = useState<ObjectState>({ isDeleted: false });
  const [reads, setReads] = useState(0);
  useEffect(() => {
    const selector = encodeURIComponent(`metadata.name=${name}`);
    const watched = `${pathOf(kind, namespace)}?watch=1&allowWatchBookmarks=true&fieldSelector=${selector}`;
    return whileVisible((signal) => follow(path, watched, setState, signal));
  }, [path, reads]);
  return {
    ...state,
    reload: () => setReads((before) => before + 1),
    take: (stored) => setState({ stored, isDeleted: false }),
  };
}

type Change = (change: (before: ObjectState) => ObjectState) => void;

async function follow(path: string, watched: string, change: Change, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const stored = await readManifest(path, signal);
      change(() => ({ stored, isDeleted: false }));
      await untilChanged(watched, versionOf(stored), signal);
    } catch (error) {
      if (signal.aborted) return;
      const isGone = error instanceof ApiError && error.status === 404;
      // What is already shown stays, so that a draft of a deleted object is not lost.
      change((before) =>
        isGone && before.stored !== undefined ? { ...before, isDeleted: true } : { ...before, error },
      );
      if (isForbidden(error)) return;
      await pause(retryMs, signal);
    }
  }
}

/** Waits until there is another version than this one. Where a watch is refused, it waits a while. */
async function untilChanged(watched: string, version: string, signal: AbortSignal): Promise<void> {
  try {
    const changes = watch<Metadata>(`${watched}&resourceVersion=${version}`, metadataOnly, signal);
    for await (const events of changes)
      if (events.some(({ type, object }) => type !== 'BOOKMARK' && object.metadata?.resourceVersion !== version))
        return;
  } catch (error) {
    const isRefused = error instanceof ApiError && [403, 404, 405].includes(error.status);
    if (!isRefused) throw error;
    await pause(retryMs, signal);
  }
}

interface Metadata {
  readonly metadata?: { readonly resourceVersion?: string };
}

const versionOf = (stored: string): string =>
  (parse(stored, yamlVersion) as Metadata | null)?.metadata?.resourceVersion ?? '';

interface ManagedObject {
  readonly metadata?: {
    readonly managedFields?: readonly { readonly manager?: string; readonly time?: string | Date }[];
  };
}

/** Who has written an object last, by its managed fields: `kubectl-edit`. Empty when it does not say. */
export function lastManagerOf(stored: string): string {
  const { metadata } = (parse(stored, yamlVersion) ?? {}) as ManagedObject;
  const time = (value: string | Date = '') => new Date(value).getTime() || 0;
  const [newest] = [...(metadata?.managedFields ?? [])].sort((a, b) => time(b.time) - time(a.time));
  return newest?.manager ?? '';
}
