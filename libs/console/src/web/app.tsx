import { useEffect, useState } from 'preact/hooks';
import { AccessView } from './access/access-view.tsx';
import { messageOf, whenLoggedOut } from './api/api.ts';
import { ApisView } from './apis/apis-view.tsx';
import { ExplorerView } from './apis/explorer-view.tsx';
import { discover, findKind, type Kind } from './api/kinds.ts';
import { ListView } from './lists/list-view.tsx';
import { LoginView } from './shell/login-view.tsx';
import { CreateView, ObjectView } from './object/object-view.tsx';
import { Problem } from './parts/parts.tsx';
import { RequestView } from './requests/request-view.tsx';
import { RequestsView } from './requests/requests-view.tsx';
import { groupOfName, linkTo, useRoute, type Route } from './shell/routes.ts';
import { openSession, type LoggedIn } from './api/session.ts';
import { Sidebar } from './shell/sidebar.tsx';
import { WorkloadsView } from './workloads/workloads-view.tsx';

/** The whole console: the login, or the navigation and the view of the route. */
export function App() {
  const [session, setSession] = useState<LoggedIn | 'opening' | undefined>('opening');
  useEffect(() => {
    whenLoggedOut(() => setSession(undefined));
    openSession().then(setSession, () => setSession(undefined));
  }, []);
  if (session === 'opening') return <p class="opening">Opening the console…</p>;
  if (session === undefined) return <LoginView onLogin={setSession} />;
  return <Console session={session} />;
}

const rediscoverMs = 30_000;

function Console({ session }: { readonly session: LoggedIn }) {
  const [kinds, setKinds] = useState<readonly Kind[]>();
  const [problem, setProblem] = useState<string>();
  const route = useRoute();
  useEffect(() => {
    const load = () => {
      if (document.hidden) return;
      discover().then(setKinds, (error: unknown) => setProblem(messageOf(error)));
    };
    load();
    const timer = setInterval(load, rediscoverMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <Sidebar kinds={kinds ?? []} route={route} session={session} />
      <main id="content" tabIndex={-1}>
        {problem !== undefined && <Problem text={problem} />}
        {kinds === undefined ? (
          <p class="quiet">Reading what the API serves…</p>
        ) : (
          <View {...{ route, kinds, session }} />
        )}
      </main>
    </>
  );
}

function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

interface ViewProps {
  readonly route: Route;
  readonly kinds: readonly Kind[];
  readonly session: LoggedIn;
}

function View({ route, kinds, session }: ViewProps) {
  const [view = 'objects', group = 'core', resource = 'namespaces', third = '', fourth = '', tab = ''] = route.path;
  const namespace = route.query.get('namespace') ?? '';
  if (view === 'workloads') return <WorkloadsView kinds={kinds} query={route.query} user={session.user.name} />;
  if (view === 'requests')
    return route.path.length > 1 ? <RequestView auditId={group} kinds={kinds} /> : <RequestsView />;
  if (view === 'apis') return <ApisView kinds={kinds} />;
  if (view === 'explorer') return <ExplorerView groupVersion={route.path[1] ?? ''} kind={route.path[2] ?? ''} />;
  if (view === 'access') return <AccessView kinds={kinds} question={route.query} />;
  const kind = findKind(kinds, groupOfName(group), resource);
  if (kind === undefined)
    return (
      <Problem text={`The API serves no resource ${resource} in the group ${group}.`}>
        <a href={linkTo.explorer()}>See what it serves</a>
      </Problem>
    );
  if (view === 'create') return <CreateView key={resource} kind={kind} namespace={namespace} />;
  if (view === 'object') {
    const scope = third === '-' ? '' : third;
    return (
      <ObjectView
        key={`${group}/${resource}/${third}/${fourth}`}
        {...{ kind, kinds, namespace: scope, name: fourth, tab }}
      />
    );
  }
  return <ListView key={`${group}/${resource}`} kind={kind} namespace={namespace} />;
}
