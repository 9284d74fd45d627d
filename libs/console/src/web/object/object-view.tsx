import { useMemo, useState } from 'preact/hooks';
import { request } from '../api/api.ts';
import { pathOf, type Kind } from '../api/kinds.ts';
import { Confirm, Header } from '../parts/parts.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { go, linkTo } from '../shell/routes.ts';
import { TimelineTab } from '../timeline/timeline-view.tsx';
import { ActionsMenu } from './actions-menu.tsx';
import { drafts, useDraft, type Draft } from './drafts.ts';
import { EventsTab } from './events-tab.tsx';
import {
  create,
  readIdentity,
  readObject,
  template,
  withoutIdentity,
  withoutManagedFields,
  write,
} from './manifest.ts';
import { LogsTab } from './logs-tab.tsx';
import { RelationsTab } from './relations-tab.tsx';
import { SecretPanel } from './secret-panel.tsx';
import { HiddenValues } from './secret-values.ts';
import { TerminalTab } from './terminal-tab.tsx';
import { lastManagerOf, useObject } from './use-object.ts';
import { podsOf, WorkloadLogsTab } from './workload-logs-tab.tsx';
import { YamlView } from './yaml-view.tsx';

interface ObjectViewProps {
  readonly kind: Kind;
  readonly kinds: readonly Kind[];
  readonly namespace: string;
  readonly name: string;
  readonly tab: string;
  readonly query: URLSearchParams;
}

const tabsOf = ({ group, resource, subresources }: Kind): readonly (readonly [string, string, string?])[] => [
  ['yaml', 'YAML'],
  ['events', 'Events'],
  ['relations', 'Owners and references'],
  ['timeline', 'Timeline'],
  ...(group !== '' || resource !== 'pods'
    ? []
    : podTabs.filter(([, , subresource]) => subresources.includes(subresource))),
];

/** Each needs a subresource of pods. */
const logsTab = ['logs', 'Log', 'log'] as const;
const podTabs = [logsTab, ['terminal', 'Terminal', 'exec']] as const;

const isSecret = ({ group, resource }: Kind): boolean => group === '' && resource === 'secrets';

/** One object: its YAML, its events, and what it belongs to. It is followed while it is shown. */
export function ObjectView({ kind, kinds, namespace, name, tab, query }: ObjectViewProps) {
  const path = pathOf(kind, namespace, name);
  const pods = podsOf(kind, kinds);
  const { stored, error, isDeleted, reload, take } = useObject(kind, namespace, name);
  const draft = useDraft(path);
  const [problem, setProblem] = useState<unknown>();
  const [done, setDone] = useState('');
  const [isAsking, setAsking] = useState(false);
  const [showsManaged, setShowsManaged] = useState(false);
  const ownHidden = useMemo(() => (isSecret(kind) ? new HiddenValues() : undefined), [path]);
  const hidden = draft?.hidden ?? ownHidden;
  /** The text as it is shown and edited. */
  const shownText = (text: string): string => {
    const edited = showsManaged ? text : withoutManagedFields(text);
    return hidden?.hide(edited) ?? edited;
  };
  const text = useMemo(() => (stored === undefined ? undefined : shownText(stored)), [stored, showsManaged, hidden]);
  const object = useMemo(() => (stored === undefined ? undefined : readObject(stored)), [stored]);
  const remove = async () => {
    setAsking(false);
    try {
      await request(path, { method: 'DELETE' });
      drafts.discard(path);
      go(linkTo.list(kind, namespace));
    } catch (refusal) {
      setProblem(refusal);
    }
  };
  const title = `${kind.kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
  return (
    <>
      <Header title={name} note={`${kind.kind}${namespace === '' ? '' : ` in ${namespace}`}`}>
        <a class="button" href={linkTo.list(kind, namespace)}>
          All {kind.resource}
        </a>
        <button type="button" onClick={reload}>
          Reload
        </button>
        {object !== undefined && !isDeleted && (
          <ActionsMenu
            {...{ kind, object }}
            onDone={(said) => {
              setProblem(undefined);
              setDone(said);
            }}
            onFailed={setProblem}
          />
        )}
        {kind.verbs.includes('delete') && !isDeleted && (
          <button type="button" class="danger" onClick={() => setAsking(true)}>
            Delete
          </button>
        )}
      </Header>
      <nav class="tabs" aria-label={name}>
        {[...tabsOf(kind), ...(pods === undefined ? [] : [logsTab])].map(([id, named]) => (
          <a
            key={id}
            href={linkTo.object(kind, namespace, name, id)}
            {...(id === tab ? { 'aria-current': 'page' as const } : {})}
          >
            {named}
            {id === 'yaml' && draft !== undefined && <span class="draft-mark"> · draft</span>}
          </a>
        ))}
        <span class="spacer" />
        {tab === 'yaml' && (
          <label class="switch">
            <input
              type="checkbox"
              checked={showsManaged}
              disabled={draft !== undefined}
              onChange={() => setShowsManaged(!showsManaged)}
            />
            managed fields
          </label>
        )}
      </nav>
      {isDeleted && <Deleted {...{ kind, namespace, draft, path }} />}
      <p class="done" role="status">
        {done}
      </p>
      {problem !== undefined && <Refusal error={problem} />}
      {error !== undefined && <Refusal error={error} />}
      {tab === 'yaml' && text !== undefined && (
        <>
          {isSecret(kind) && stored !== undefined && <SecretPanel key={path} stored={stored} />}
          <YamlView
            kind={kind}
            stored={text}
            by={lastManagerOf(stored ?? '')}
            draftKey={path}
            draftOf={{ title, href: linkTo.object(kind, namespace, name), hidden }}
            isWritable={kind.verbs.includes('update') && !isDeleted}
            onWrite={async (changed, options) => {
              const result = await write(path, { text: hidden?.reveal(changed) ?? changed, ...options });
              if (!options.dryRun) take(result);
              return shownText(result);
            }}
            onOutdated={reload}
          />
        </>
      )}
      {tab === 'events' && <EventsTab kind={kind} namespace={namespace} name={name} />}
      {tab === 'relations' && <RelationsTab {...{ kind, kinds, namespace, name }} />}
      {tab === 'timeline' && <TimelineTab {...{ kinds, query, kind, namespace, name }} />}
      {tab === 'logs' && object !== undefined && pods === undefined && <LogsTab kind={kind} pod={object} />}
      {tab === 'logs' && object !== undefined && pods !== undefined && (
        <WorkloadLogsTab pods={pods} workload={object} />
      )}
      {tab === 'terminal' && object !== undefined && <TerminalTab kind={kind} pod={object} />}
      {isAsking && (
        <Confirm
          title={`Delete ${kind.kind} ${name}?`}
          text={`${namespace === '' ? '' : `It is in the namespace ${namespace}. `}Everything that it owns is deleted too.${draft === undefined ? '' : ' Your draft is discarded.'}`}
          action="Delete"
          onConfirm={() => void remove()}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  );
}

/** The key of the draft of an object that does not exist yet. */
export const keyOfNew = ({ group, resource }: Kind): string => `new ${resource}.${group}`;

interface DeletedProps {
  readonly kind: Kind;
  readonly namespace: string;
  readonly draft: Draft | undefined;
  /** The key of the draft. */
  readonly path: string;
}

/** Says that an object is gone, and offers to make it again from a draft. */
function Deleted({ kind, namespace, draft, path }: DeletedProps) {
  const recreate = () => {
    if (draft === undefined) return;
    const text = withoutIdentity(draft.hidden?.reveal(draft.text) ?? draft.text);
    const href = linkTo.create(kind, namespace);
    drafts.discard(path);
    drafts.set(keyOfNew(kind), { text, href, base: undefined, since: draft.since, title: `new ${draft.title}` });
    go(href);
  };
  return (
    <div class="note-box changed" role="status">
      <div class="toolbar">
        <span>It was deleted. {draft !== undefined && 'Your draft is kept.'}</span>
        <span class="spacer" />
        {draft !== undefined && (
          <button type="button" onClick={recreate}>
            Create it again
          </button>
        )}
      </div>
    </div>
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
        stored={undefined}
        template={initial}
        draftKey={keyOfNew(kind)}
        draftOf={{ title: `new ${kind.kind}`, href: linkTo.create(kind, namespace) }}
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
