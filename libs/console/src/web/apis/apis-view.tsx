import { useEffect, useState } from 'preact/hooks';
import { getJson } from '../api/api.ts';
import { findKind, type Kind } from '../api/kinds.ts';
import { Badge, Header, Table } from '../parts/parts.tsx';
import { age } from '../parts/units.ts';
import { Refusal } from '../parts/refusal.tsx';
import { linkTo } from '../shell/routes.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

interface Definition {
  readonly metadata: { readonly name: string; readonly creationTimestamp?: string };
  readonly spec: {
    readonly group?: string;
    readonly version?: string;
    readonly service?: { readonly namespace?: string; readonly name?: string } | null;
    readonly names?: { readonly kind?: string; readonly plural?: string };
    readonly scope?: string;
    readonly versions?: readonly { readonly name: string; readonly served: boolean; readonly storage: boolean }[];
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface List {
  readonly items: readonly Definition[];
}

const pollMs = 5000;
const paths = {
  services: '/apis/apiregistration.k8s.io/v1/apiservices',
  definitions: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
} as const;

/** Conditions that are good when they are false. */
const goodWhenFalse: ReadonlySet<string> = new Set(['NonStructuralSchema', 'Terminating']);

/** CustomResourceDefinitions and APIServices with their conditions. */
export function ApisView({ kinds }: { readonly kinds: readonly Kind[] }) {
  const [lists, setLists] = useState<Readonly<Partial<Record<keyof typeof paths, readonly Definition[]>>>>({});
  const [problem, setProblem] = useState<unknown>();
  const [showsLocal, setShowsLocal] = useState(false);
  useEffect(() => {
    const load = () => {
      if (document.hidden) return;
      for (const name of ['services', 'definitions'] as const)
        getJson<List>(paths[name]).then(
          ({ items }) => setLists((before) => ({ ...before, [name]: items })),
          setProblem,
        );
    };
    load();
    const timer = setInterval(load, pollMs);
    return () => clearInterval(timer);
  }, []);
  const { services = [], definitions = [] } = lists;
  const shown = services.filter((service) => showsLocal || isRemote(service) || !isAvailable(service));
  const crd = findKind(kinds, 'apiextensions.k8s.io', 'customresourcedefinitions');
  const apiService = findKind(kinds, 'apiregistration.k8s.io', 'apiservices');
  return (
    <>
      <Header title="API services" note={`${definitions.length} custom, ${services.length} in all`}>
        <label class="switch">
          <input type="checkbox" checked={showsLocal} onChange={() => setShowsLocal(!showsLocal)} />
          built-in API services
        </label>
      </Header>
      {problem !== undefined && <Refusal error={problem} />}
      <h2>Custom resources</h2>
      {lists.definitions !== undefined && definitions.length === 0 && (
        <p class="empty">There is no CustomResourceDefinition.</p>
      )}
      {definitions.length > 0 && (
        <ConditionsTable
          items={definitions}
          columns={['Scope', 'Versions']}
          cells={({ spec }) => [spec.scope ?? '', versionsText(spec)]}
          hrefOf={({ metadata }) => (crd === undefined ? undefined : linkTo.object(crd, '', metadata.name))}
        />
      )}
      <h2>API services</h2>
      {lists.services !== undefined && shown.length === 0 && (
        <p class="empty">All {services.length} API services are served by the chain itself and available.</p>
      )}
      {shown.length > 0 && (
        <ConditionsTable
          items={shown}
          columns={['Served by']}
          cells={({ spec }) => [
            isRemoteSpec(spec) ? `${spec.service?.namespace ?? ''}/${spec.service?.name ?? ''}` : 'the chain',
          ]}
          hrefOf={({ metadata }) =>
            apiService === undefined ? undefined : linkTo.object(apiService, '', metadata.name)
          }
        />
      )}
    </>
  );
}

const isRemoteSpec = ({ service }: Definition['spec']): boolean => service !== undefined && service !== null;
const isRemote = ({ spec }: Definition): boolean => isRemoteSpec(spec);
const isAvailable = ({ status }: Definition): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') === true;

const versionsText = ({ versions = [] }: Definition['spec']): string =>
  versions
    .map(({ name, served, storage }) => `${name}${storage ? ' (stored)' : ''}${served ? '' : ' (not served)'}`)
    .join(', ');

interface ConditionsTableProps {
  readonly items: readonly Definition[];
  readonly columns: readonly string[];
  readonly cells: (item: Definition) => readonly string[];
  readonly hrefOf: (item: Definition) => string | undefined;
}

function ConditionsTable({ items, columns, cells, hrefOf }: ConditionsTableProps) {
  return (
    <Table columns={['Name', ...columns, 'Conditions', 'Age']}>
      {items.map((item) => (
        <tr key={item.metadata.name}>
          <td>
            <a href={hrefOf(item)}>{item.metadata.name}</a>
          </td>
          {cells(item).map((cell, at) => (
            <td key={at}>{cell}</td>
          ))}
          <td class="wrap">
            <Conditions conditions={item.status?.conditions ?? []} />
          </td>
          <td>{age(item.metadata.creationTimestamp)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Conditions({ conditions }: { readonly conditions: readonly Condition[] }) {
  return (
    <div class="conditions">
      {conditions.map(({ type, status, reason, message }) => {
        const isGood = (status === 'True') !== goodWhenFalse.has(type);
        return (
          <div key={type}>
            <Badge kind={isGood ? 'good' : 'bad'}>{status === 'True' ? type : `${type}: ${status}`}</Badge>
            {!isGood && (
              <span class="reason">
                {reason}
                {message === undefined || message === '' ? '' : `: ${message}`}
              </span>
            )}
          </div>
        );
      })}
    </div>
  );
}
