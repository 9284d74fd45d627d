import { useMemo, useState } from 'preact/hooks';
import type { Kind } from '../api/kinds.ts';
import { NamespaceSelect } from '../parts/namespace-select.tsx';
import { Header, Problem } from '../parts/parts.tsx';
import { go, linkTo } from '../shell/routes.ts';
import { EventsSection } from './events-section.tsx';
import type { SourceState } from './following.ts';
import type { LiveObjects, ShownResource } from './live-objects.ts';
import { NodesSection } from './nodes-section.tsx';
import { overviewOf, podsText } from './overview.ts';
import { PodsSection } from './pods-section.tsx';
import { Refused } from './refused-note.tsx';
import { RolloutsSection } from './rollouts-section.tsx';
import { shownKinds, useLiveObjects } from './use-live-objects.ts';

interface Props {
  readonly kinds: readonly Kind[];
  readonly query: URLSearchParams;
  /** The name of the user. */
  readonly user: string;
}

/** Rollouts, nodes with their pods, and events, followed by watches. */
export function WorkloadsView({ kinds, query, user }: Props) {
  const namespace = query.get('namespace') ?? '';
  const [node, workload] = [query.get('node') ?? '', query.get('workload') ?? ''];
  const [filter, setFilter] = useState('');
  const served = shownKinds(kinds);
  const { objects, states, version } = useLiveObjects(served, namespace);
  const overview = useMemo(
    () => overviewOf(objects, { filter, node, workload }),
    [objects, version, filter, node, workload],
  );
  /** The page with other pods chosen. */
  const hrefOf = (chosen: Readonly<Record<string, string>>) => linkTo.workloads({ namespace, ...chosen });
  const isSeen = (resource: ShownResource) => {
    const { state } = states.get(resource) ?? { state: 'refused' };
    return state !== 'refused';
  };
  const shared = { kinds: served, withNamespace: namespace === '', hrefOf };
  return (
    <>
      <Header title="Workloads" note={<LiveNote states={[...states.values()]} />}>
        <NamespaceSelect value={namespace} onChange={(chosen) => go(linkTo.workloads({ namespace: chosen }))} />
        <input
          type="search"
          placeholder="Name or status"
          aria-label="Filter by name or status"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      </Header>
      {states.size === 0 && <p class="empty">This API serves no pods and no workloads.</p>}
      <Refused {...{ kinds: served, states, namespace, user }} />
      <Failures states={states} />
      <More objects={objects} />
      {owners.some(isSeen) && <RolloutsSection rows={overview.workloads} {...shared} />}
      {(isSeen('nodes') || isSeen('pods')) && (
        <NodesSection
          rows={overview.nodes}
          pods={podsText(overview.allPods)}
          mayList={isSeen('nodes')}
          namespace={namespace}
          {...shared}
        />
      )}
      {isSeen('pods') && <PodsSection pods={overview.pods} of={workload || node} {...shared} />}
      {isSeen('events') && <EventsSection events={overview.events} all={kinds} {...shared} />}
    </>
  );
}

const owners = ['deployments', 'statefulsets', 'daemonsets', 'jobs', 'replicasets'] as const;

const words = { loading: 'loading', live: 'live', reconnecting: 'connecting again', failed: 'stopped' } as const;

/** The least good state of all watches that were not refused. */
export function LiveNote({ states }: { readonly states: readonly SourceState[] }) {
  const followed = states.filter(({ state }) => state !== 'refused').map(({ state }) => state);
  const state = (['reconnecting', 'loading', 'live'] as const).find((one) => followed.includes(one)) ?? 'failed';
  return (
    <>
      <span class={`dot ${state}`} aria-hidden="true" />
      <span role="status">{words[state]}</span>
    </>
  );
}

/** What went wrong with watches that are tried again. */
function Failures({ states }: { readonly states: ReadonlyMap<ShownResource, SourceState> }) {
  const errors = [...states.values()].flatMap(({ state, error }) => (state === 'reconnecting' ? [error ?? ''] : []));
  const different = [...new Set(errors)].filter((error) => error !== '');
  return different.length === 0 ? null : <Problem text={different.join(' · ')} />;
}

/** Says how many objects are beyond what the page holds. */
function More({ objects }: { readonly objects: LiveObjects }) {
  const { nodes, pods, workloads } = objects;
  const collections = [nodes, pods, ...owners.map((resource) => workloads[resource].collection)];
  const more = collections.reduce((sum, collection) => sum + collection.more, 0);
  return more === 0 ? null : (
    <p class="note-box">{more} more objects exist than this page shows. A namespace shows fewer at once.</p>
  );
}
