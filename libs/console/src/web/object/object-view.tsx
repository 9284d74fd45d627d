import { useEffect, useState } from 'preact/hooks';
import { messageOf, request } from '../api/api.ts';
import { EventsTab } from './events-tab.tsx';
import { pathOf, type Kind } from '../api/kinds.ts';
import { create, readIdentity, readManifest, template, withoutManagedFields, write } from './manifest.ts';
import { Confirm, Header, Problem } from '../parts/parts.tsx';
import { RelationsTab } from './relations-tab.tsx';
import { go, linkTo } from '../shell/routes.ts';
import { YamlView } from './yaml-view.tsx';

interface ObjectViewProps {
  readonly kind: Kind;
  readonly kinds: readonly Kind[];
  readonly namespace: string;
  readonly name: string;
  readonly tab: string;
}

const tabs = [
  ['yaml', 'YAML'],
  ['events', 'Events'],
  ['relations', 'Owners and references'],
] as const;

/** One object: its YAML, its events, and what it belongs to. */
export function ObjectView({ kind, kinds, namespace, name, tab }: ObjectViewProps) {
  const path = pathOf(kind, namespace, name);
  const [stored, setStored] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const [showsManaged, setShowsManaged] = useState(false);
  const load = () => {
    setProblem(undefined);
    readManifest(path).then(setStored, (error: unknown) => setProblem(messageOf(error)));
  };
  useEffect(load, [path]);
  const remove = async () => {
    setAsking(false);
    try {
      await request(path, { method: 'DELETE' });
      go(linkTo.list(kind, namespace));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const text = stored === undefined || showsManaged ? stored : withoutManagedFields(stored);
  return (
    <>
      <Header title={name} note={`${kind.kind}${namespace === '' ? '' : ` in ${namespace}`}`}>
        <a class="button" href={linkTo.list(kind, namespace)}>
          All {kind.resource}
        </a>
        <button type="button" onClick={load}>
          Reload
        </button>
        {kind.verbs.includes('delete') && (
          <button type="button" class="danger" onClick={() => setAsking(true)}>
            Delete
          </button>
        )}
      </Header>
      <nav class="tabs" aria-label={name}>
        {tabs.map(([id, title]) => (
          <a
            key={id}
            href={linkTo.object(kind, namespace, name, id)}
            {...(id === tab ? { 'aria-current': 'page' as const } : {})}
          >
            {title}
          </a>
        ))}
        <span class="spacer" />
        {tab === 'yaml' && (
          <label class="switch">
            <input type="checkbox" checked={showsManaged} onChange={() => setShowsManaged(!showsManaged)} />
            managed fields
          </label>
        )}
      </nav>
      {problem !== undefined && <Problem text={problem} />}
      {tab === 'yaml' && text !== undefined && (
        <YamlView
          kind={kind}
          original={text}
          initial={text}
          isWritable={kind.verbs.includes('update')}
          onWrite={async (changed, options) => {
            const result = await write(path, { text: changed, ...options });
            return showsManaged ? result : withoutManagedFields(result);
          }}
          onWritten={setStored}
        />
      )}
      {tab === 'events' && <EventsTab kind={kind} namespace={namespace} name={name} />}
      {tab === 'relations' && <RelationsTab {...{ kind, kinds, namespace, name }} />}
      {isAsking && (
        <Confirm
          title={`Delete ${kind.kind} ${name}?`}
          text={`${namespace === '' ? '' : `It is in the namespace ${namespace}. `}Everything that it owns is deleted too.`}
          action="Delete"
          onConfirm={() => void remove()}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  );
}

/** An editor for an object that does not exist yet. */
export function CreateView({ kind, namespace }: { readonly kind: Kind; readonly namespace: string }) {
  const [initial] = useState(() => template(kind, namespace));
  const placeOf = (text: string) => {
    const { metadata } = readIdentity(text);
    return { namespace: kind.namespaced ? (metadata?.namespace ?? 'default') : '', name: metadata?.name ?? '' };
  };
  return (
    <>
      <Header title={`New ${kind.kind}`}>
        <a class="button" href={linkTo.list(kind, namespace)}>
          Cancel
        </a>
      </Header>
      <YamlView
        kind={kind}
        original={undefined}
        initial={initial}
        isWritable
        onWrite={async (text, { dryRun }) =>
          withoutManagedFields(await create(kind, placeOf(text).namespace, text, dryRun))
        }
        onWritten={(result) => {
          const place = placeOf(result);
          go(linkTo.object(kind, place.namespace, place.name));
        }}
      />
    </>
  );
}
