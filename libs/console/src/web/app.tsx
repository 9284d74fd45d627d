import { useEffect, useState } from 'preact/hooks';
import { AccessView } from './access/access-view.tsx';
import { whenLoggedOut } from './api/api.ts';
import { useConnection } from './api/connection.ts';
import { discover, findKind, type Kind } from './api/kinds.ts';
import { openSession, whenCodeArrives, type LoggedIn } from './api/session.ts';
import { poll } from './api/while-visible.ts';
import { ApisView } from './apis/apis-view.tsx';
import { ExplorerView } from './apis/explorer-view.tsx';
import { ListView } from './lists/list-view.tsx';
import { drafts } from './object/drafts.ts';
import { CreateView, ObjectView } from './object/object-view.tsx';
import { OverviewView } from './overview/overview-view.tsx';
import { Problem } from './parts/parts.tsx';
import { Refusal } from './parts/refusal.tsx';
import { RequestView } from './requests/request-view.tsx';
import { RequestsView } from './requests/requests-view.tsx';
import { ConnectionNote } from './shell/connection-note.tsx';
import { LoginView } from './shell/login-view.tsx';
import { goToOwnNamespace } from './shell/own-namespace.ts';
import { Palette } from './shell/palette.tsx';
import { useTheme } from './shell/preferences.ts';
import { groupOfName, linkTo, useRoute, type Route } from './shell/routes.ts';
import { ShortcutHelp } from './shell/shortcut-help.tsx';
import { Sidebar } from './shell/sidebar.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { recorder } from './timeline/recorder.ts';
import { TimelineView } from './timeline/timeline-view.tsx';
import { WorkloadsView } from './workloads/workloads-view.tsx';

/** The whole console: the login, or the navigation and the view of the route. */
export function App() {
  const [session, setSession] = useState<LoggedIn | 'opening' | undefined>('opening');
  /** Who was logged in last. */
  const [before, setBefore] = useState<string>();
  useTheme();
  const begin = (begun: LoggedIn | undefined) => {
    if (begun !== undefined) {
      drafts.keepFor(begun.user.name);
      recorder.keepFor(begun.user.name);
      setBefore(begun.user.name);
    }
    setSession(begun);
  };
  const open = (place?: string) => void openSession(place).then(begin, () => setSession(undefined));
  useEffect(() => {
    whenLoggedOut(() => setSession(undefined));
    open();
    return whenCodeArrives(open);
  }, []);
  if (session === 'opening') return <p class="opening">Opening the console…</p>;
  if (session === undefined) return <LoginView before={before} onLogin={begin} />;
  return <Console session={session} />;
}

const rediscoverMs = 30_000;

function Console({ session }: { readonly session: LoggedIn }) {
  const [kinds, setKinds] = useState<readonly Kind[]>();
  const [problem, setProblem] = useState<unknown>();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const { restored } = useConnection();
  const route = useRoute();
  useEffect(() => poll(() => void discover().then(setKinds, setProblem), rediscoverMs), [restored]);
  useEffect(() => setMenuOpen(false), [location.hash]);
  useEffect(() => {
    goToOwnNamespace(session.user.name).catch(setProblem);
  }, []);
  return (
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <TopBar isOpen={isMenuOpen} onToggle={() => setMenuOpen(!isMenuOpen)} />
      <Sidebar kinds={kinds ?? []} route={route} session={session} isOpen={isMenuOpen} />
      <main id="content" tabIndex={-1}>
        <ConnectionNote />
        {problem !== undefined && <Refusal error={problem} />}
        {kinds === undefined ? (
          <p class="quiet">Reading what the API serves…</p>
        ) : (
          <View {...{ route, kinds, session }} />
        )}
      </main>
      <Palette kinds={kinds ?? []} namespace={route.query.get('namespace') ?? ''} />
      <ShortcutHelp />
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
  const [view = 'overview', group = 'core', resource = 'namespaces', third = '', fourth = '', tab = ''] = route.path;
  const { query } = route;
  const user = session.user.name;
  if (view === 'overview') return <OverviewView {...{ kinds, query, user }} />;
  if (view === 'workloads') return <WorkloadsView {...{ kinds, query, user }} />;
  if (view === 'timeline') return <TimelineView {...{ kinds, query }} />;
  if (view === 'requests')
    return route.path.length > 1 ? <RequestView auditId={group} kinds={kinds} /> : <RequestsView />;
  if (view === 'apis') return <ApisView kinds={kinds} />;
  if (view === 'explorer') return <ExplorerView groupVersion={route.path[1] ?? ''} kind={route.path[2] ?? ''} />;
  if (view === 'access') return <AccessView kinds={kinds} question={query} self={session.user} />;
  const kind = findKind(kinds, groupOfName(group), resource);
  if (kind === undefined)
    return (
      <Problem text={`The API serves no resource ${resource} in the group ${group}.`}>
        <a href={linkTo.explorer()}>See what it serves</a>
      </Problem>
    );
  if (view === 'create')
    return <CreateView key={`${group}/${resource}`} kind={kind} namespace={query.get('namespace') ?? ''} />;
  if (view === 'object') {
    const scope = third === '-' ? '' : third;
    return (
      <ObjectView
        key={`${group}/${resource}/${third}/${fourth}`}
        {...{ kind, kinds, namespace: scope, name: fourth, tab, query }}
      />
    );
  }
  return <ListView key={`${group}/${resource}`} {...{ kind, query, user }} />;
}
