import { useEffect, useMemo, useState } from 'preact/hooks';
import { findKind, type Kind } from '../api/kinds.ts';
import { poll } from '../api/while-visible.ts';
import { NamespaceSelect } from '../parts/namespace-select.tsx';
import { Badge, Header, type Mood } from '../parts/parts.tsx';
import { linkTo, replaceQuery } from '../shell/routes.ts';
import { EventsSection } from '../workloads/events-section.tsx';
import { overviewOf, podsText } from '../workloads/overview.ts';
import { Refused } from '../workloads/refused-note.tsx';
import { Section } from '../workloads/section.tsx';
import { shownKinds, useLiveObjects } from '../workloads/use-live-objects.ts';
import { LiveNote } from '../workloads/workloads-view.tsx';
import { TrafficSection } from './traffic-section.tsx';
import { useUnavailableApis, type UnavailableApi } from './unavailable-apis.ts';

interface Props {
  readonly kinds: readonly Kind[];
  readonly query: URLSearchParams;
  /** The name of the user. */
  readonly user: string;
}

/** Something that needs somebody. */
interface Trouble {
  readonly key: string;
  readonly what: string;
  readonly name: string;
  readonly href: string | undefined;
  readonly mood: Mood;
  readonly why: string;
}

const nothingChosen = { filter: '', node: '', workload: '' } as const;
const agesMs = 10_000;

/** What does not go well, what happened lately, and the requests of the last minute. */
export function OverviewView({ kinds, query, user }: Props) {
  const namespace = query.get('namespace') ?? '';
  const served = shownKinds(kinds);
  const { objects, states, version } = useLiveObjects(served, namespace);
  const overview = useMemo(() => overviewOf(objects, nothingChosen), [objects, version]);
  const apis = useUnavailableApis(kinds);
  const [, setTick] = useState(0);
  useEffect(() => poll(() => setTick((before) => before + 1), agesMs), []);
  const troubles = [...troublesOf(overview, served), ...apis.map((api) => troubleOfApi(api, kinds))];
  const events = overview.events.slice(0, 50);
  const nodes = overview.nodes.filter(({ name }) => name !== '');
  const isEmpty = overview.workloads.length + overview.allPods.length + overview.nodes.length === 0;
  return (
    <>
      <Header title="Overview" note={<LiveNote states={[...states.values()]} />}>
        <NamespaceSelect value={namespace} onChange={(chosen) => replaceQuery({ namespace: chosen })} />
      </Header>
      <Refused {...{ kinds: served, states, namespace, user }} />
      <ul class="tiles">
        <Tile
          name="Workloads"
          href={linkTo.workloads({ namespace })}
          value={`${overview.workloads.filter(({ workload }) => workload.rollout.mood === 'good').length} of ${overview.workloads.length}`}
          note="complete"
        />
        <Tile
          name="Pods"
          href={linkTo.workloads({ namespace })}
          value={String(overview.allPods.length)}
          note={podsText(overview.allPods)}
        />
        {states.get('nodes')?.state !== 'refused' && (
          <Tile
            name="Nodes"
            href={linkTo.workloads({ namespace })}
            value={`${nodes.filter(({ node }) => node?.mood === 'good').length} of ${nodes.length}`}
            note="ready"
          />
        )}
      </ul>
      <Section title="What needs attention" note={troubles.length === 0 ? '' : `${troubles.length}`}>
        {troubles.length === 0 ? (
          <p class="empty">
            {isEmpty ? 'There are no workloads, pods or nodes here yet.' : 'Everything that is seen here goes well.'}
          </p>
        ) : (
          <ul class="troubles">
            {troubles.map(({ key, what, name, href, mood, why }) => (
              <li key={key}>
                <Badge kind={mood}>{what}</Badge> <a href={href}>{name}</a> <span class="reason">{why}</span>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <TrafficSection />
      <EventsSection
        {...{ events, all: kinds, kinds: served, withNamespace: namespace === '' }}
        hrefOf={(chosen) => linkTo.workloads({ namespace, ...chosen })}
      />
    </>
  );
}

const maxTroubles = 100;

function troublesOf(
  { workloads, nodes, allPods }: ReturnType<typeof overviewOf>,
  served: ReturnType<typeof shownKinds>,
): readonly Trouble[] {
  const ofNodes = nodes.flatMap(({ name, node }): Trouble[] => {
    if (node === undefined || (node.mood === 'good' && node.problems.length === 0)) return [];
    const href = served.nodes && linkTo.object(served.nodes, '', name);
    const why = [node.status, ...node.problems].join(', ');
    return [{ key: `node ${name}`, what: 'Node', name, href, mood: node.mood === 'good' ? 'warn' : node.mood, why }];
  });
  const ofWorkloads = workloads.flatMap(({ id, resource, workload }): Trouble[] => {
    const { kind, namespace, name, rollout } = workload;
    if (rollout.mood === 'good' || rollout.mood === 'plain') return [];
    const listed = served[resource];
    const href = listed && linkTo.object(listed, namespace, name);
    return [{ key: id, what: kind, name: `${namespace}/${name}`, href, mood: rollout.mood, why: rollout.text }];
  });
  const ofPods = allPods.flatMap(({ namespace, name, mood, status }): Trouble[] => {
    if (mood !== 'bad') return [];
    const href = served.pods && linkTo.object(served.pods, namespace, name);
    return [{ key: `pod ${namespace}/${name}`, what: 'Pod', name: `${namespace}/${name}`, href, mood, why: status }];
  });
  return [...ofNodes, ...ofWorkloads, ...ofPods].slice(0, maxTroubles);
}

function troubleOfApi({ name, isDefinition, why }: UnavailableApi, kinds: readonly Kind[]): Trouble {
  const kind = isDefinition
    ? findKind(kinds, 'apiextensions.k8s.io', 'customresourcedefinitions')
    : findKind(kinds, 'apiregistration.k8s.io', 'apiservices');
  const href = kind && linkTo.object(kind, '', name);
  const what = isDefinition ? 'CustomResourceDefinition' : 'APIService';
  return { key: `${what} ${name}`, what, name, href, mood: 'bad', why };
}

interface TileProps {
  readonly name: string;
  readonly href: string;
  readonly value: string;
  readonly note: string;
}

const Tile = ({ name, href, value, note }: TileProps) => (
  <li>
    <a href={href}>
      <span class="quiet">{name}</span>
      <b>{value}</b>
      <span class="quiet">{note}</span>
    </a>
  </li>
);
