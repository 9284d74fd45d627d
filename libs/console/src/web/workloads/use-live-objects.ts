import { useEffect, useMemo, useState } from 'preact/hooks';
import { getJson } from '../api/api.ts';
import { findKind, pathOf, type Kind } from '../api/kinds.ts';
import { watchAll } from '../api/watch.ts';
import { whileVisible } from '../api/while-visible.ts';
import { Frames } from '../parts/frames.ts';
import { Following, type ListPage, type Reader, type SourceState } from './following.ts';
import { LiveObjects, type ShownResource } from './live-objects.ts';

const groups: Readonly<Record<ShownResource, string>> = {
  ...{ nodes: '', pods: '', events: '' },
  ...{ deployments: 'apps', statefulsets: 'apps', daemonsets: 'apps', replicasets: 'apps' },
  jobs: 'batch',
};

/** The kinds of the page that the server has. */
export type ShownKinds = Partial<Readonly<Record<ShownResource, Kind>>>;

export const shownKinds = (kinds: readonly Kind[]): ShownKinds =>
  Object.fromEntries(
    Object.entries(groups).flatMap(([resource, group]) => {
      const kind = findKind(kinds, group, resource);
      return kind === undefined ? [] : [[resource, kind]];
    }),
  );

/** Reads from the API in the session of the page. */
export const apiReader: Reader = {
  list: (path, signal) => getJson<ListPage>(path, 'application/json', signal),
  watch: watchAll,
};

/** What is known of the cluster, while it changes. */
interface Live {
  readonly objects: LiveObjects;
  /** Of the resources that the server has. */
  readonly states: ReadonlyMap<ShownResource, SourceState>;
  /** Differs whenever something has changed. */
  readonly version: number;
}

/** Follows the kinds in a namespace, or in all, while the page is visible. Changes are shown together, once in an animation frame at most. */
export function useLiveObjects(kinds: ShownKinds, namespace: string): Live {
  const sources = (Object.entries(kinds) as [ShownResource, Kind][]).map(([id, kind]) => ({
    ...{ id, path: pathOf(kind, namespace) },
  }));
  const [version, setVersion] = useState(0);
  // The list of kinds is read again now and then; only other paths begin anew.
  const key = sources.map(({ path }) => path).join();
  const { objects, following, changes } = useMemo(() => {
    const known = new LiveObjects();
    const frames = new Frames(() => setVersion((before) => before + 1));
    const shelved = sources.map((source) => ({ ...source, shelf: known.shelves[source.id] }));
    return { objects: known, following: new Following(shelved, apiReader, () => frames.request()), changes: frames };
  }, [key]);
  useEffect(() => {
    const stop = whileVisible((signal) => following.run(signal));
    return () => {
      stop();
      changes.stop();
    };
  }, [following]);
  const states = new Map(sources.map(({ id }) => [id, following.stateOf(id)]));
  return { objects, states, version };
}
