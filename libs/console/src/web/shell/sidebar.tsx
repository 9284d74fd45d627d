import { useEffect, useRef, useState } from 'preact/hooks';
import type { Kind } from '../api/kinds.ts';
import { logOut, type LoggedIn } from '../api/session.ts';
import { useDrafts } from '../object/drafts.ts';
import { Confirm } from '../parts/parts.tsx';
import { grouped, isMeant, nameOf } from './kind-groups.ts';
import { prefer, toggled, usePreferences } from './preferences.ts';
import { go, groupOfName, linkTo, type Route } from './routes.ts';
import { useShortcuts } from './shortcuts.ts';

interface SidebarProps {
  readonly kinds: readonly Kind[];
  readonly route: Route;
  readonly session: LoggedIn;
  /** Whether it is shown in a narrow window. */
  readonly isOpen: boolean;
}

/** The views, and every kind that can be listed, in groups. */
export function Sidebar({ kinds, route, session, isOpen }: SidebarProps) {
  const [search, setSearch] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useShortcuts([{ key: '/', description: 'find a kind', run: () => input.current?.focus() }]);
  const namespace = route.query.get('namespace') ?? '';
  const { favourites, closed } = usePreferences();
  const text = search.trim().toLowerCase();
  const groups = grouped(text === '' ? kinds : kinds.filter((kind) => isMeant(kind, text)));
  const chosen = favourites.flatMap((name) => kinds.find((kind) => nameOf(kind) === name) ?? []);
  const here = route.path.slice(0, 3).join('/');
  useEffect(() => {
    document.querySelector('.kinds [aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [here, kinds.length]);
  const linkOf = (kind: Kind) => (
    <KindLink key={nameOf(kind)} {...{ kind, route, namespace }} isFavourite={favourites.includes(nameOf(kind))} />
  );
  const view = route.path[0] ?? 'overview';
  const [first] = groups.flatMap(([, members]) => members);
  return (
    <nav class={isOpen ? 'sidebar open' : 'sidebar'} id="sidebar" aria-label="Console">
      <a class="brand" href={linkTo.overview()}>
        <img src="/icon.svg" alt="" width="22" height="22" />
        apichain
      </a>
      <ul class="views">
        <ViewLink href={linkTo.overview(namespace)} name="Overview" isCurrent={view === 'overview'} />
        <ViewLink href={linkTo.workloads({ namespace })} name="Workloads" isCurrent={view === 'workloads'} />
        <ViewLink href={linkTo.timeline({ namespace })} name="Timeline" isCurrent={view === 'timeline'} />
        <ViewLink href={linkTo.requests()} name="Requests" isCurrent={view === 'requests'} />
        <ViewLink href={linkTo.apis()} name="API services" isCurrent={view === 'apis'} />
        <ViewLink href={linkTo.explorer()} name="API explorer" isCurrent={view === 'explorer'} />
        <ViewLink href={linkTo.access()} name="Access" isCurrent={view === 'access'} />
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (first !== undefined && text !== '') go(linkTo.list(first, first.namespaced ? namespace : ''));
        }}
      >
        <input
          class="search"
          type="search"
          placeholder="Find a kind  ( / )"
          aria-label="Find a kind"
          ref={input}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </form>
      <div class="kinds">
        {text === '' && chosen.length > 0 && (
          <section aria-label="Favourites">
            <h2>Favourites</h2>
            <ul>{chosen.map(linkOf)}</ul>
          </section>
        )}
        {groups.map(([title, members]) => {
          const isShown = text !== '' || !closed.includes(title);
          return (
            <section key={title} aria-label={title}>
              <h2>
                {text === '' ? (
                  <button
                    type="button"
                    class="plain"
                    aria-expanded={isShown}
                    onClick={() => prefer({ closed: toggled(closed, title) })}
                  >
                    <span class="twist" aria-hidden="true">
                      {isShown ? '▾' : '▸'}
                    </span>
                    {title}
                  </button>
                ) : (
                  title
                )}
              </h2>
              {isShown && <ul>{members.map(linkOf)}</ul>}
            </section>
          );
        })}
        {kinds.length > 0 && groups.length === 0 && <p class="quiet">No kind has this name.</p>}
      </div>
      <DraftList />
      <Footer session={session} />
    </nav>
  );
}

function KindLink({ kind, route, namespace, isFavourite }: KindLinkProps) {
  const { favourites } = usePreferences();
  return (
    <li class="kind">
      <a
        href={linkTo.list(kind, kind.namespaced ? namespace : '')}
        title={nameOf(kind)}
        {...(isCurrent(route, kind) ? { 'aria-current': 'page' as const } : {})}
      >
        {kind.kind}
      </a>
      <button
        type="button"
        class="plain star"
        aria-label={`Favourite ${kind.kind}`}
        aria-pressed={isFavourite}
        onClick={() => prefer({ favourites: toggled(favourites, nameOf(kind)) })}
      >
        {isFavourite ? '★' : '☆'}
      </button>
    </li>
  );
}

interface KindLinkProps {
  readonly kind: Kind;
  readonly route: Route;
  readonly namespace: string;
  readonly isFavourite: boolean;
}

/** What is not written yet, wherever one is. */
function DraftList() {
  const drafts = useDrafts();
  return (
    <div class="drafts" role="status">
      {drafts.length > 0 && (
        <>
          <h2>Drafts, not written</h2>
          <ul>
            {drafts.map(({ key, title, href }) => (
              <ViewLink key={key} href={href} name={title} isCurrent={location.hash === href} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Footer({ session }: { readonly session: LoggedIn }) {
  const { theme } = usePreferences();
  const drafts = useDrafts();
  const [isAsking, setAsking] = useState(false);
  const leave = () => void logOut();
  return (
    <footer>
      <div class="user">
        <span title={aboutSession(session)}>{session.user.name}</span>
        <button type="button" class="plain" onClick={drafts.length === 0 ? leave : () => setAsking(true)}>
          Log out
        </button>
      </div>
      {session.otherPorts.length > 0 && (
        <details class="others">
          <summary>Other chains</summary>
          <ul>
            {session.otherPorts.map((port) => (
              <ViewLink
                key={port}
                href={`http://${location.hostname}:${port}/`}
                name={`${location.hostname}:${port}`}
                isCurrent={false}
              />
            ))}
          </ul>
        </details>
      )}
      <label class="theme">
        Colours{' '}
        <select
          value={theme}
          onChange={({ currentTarget: { value } }) =>
            prefer({ theme: value === 'light' || value === 'dark' ? value : 'auto' })
          }
        >
          <option value="auto">of the system</option>
          <option value="light">light</option>
          <option value="dark">dark</option>
        </select>
      </label>
      {isAsking && (
        <Confirm
          title="Log out and lose your drafts?"
          text={`Not written yet: ${drafts.map(({ title }) => title).join(', ')}.`}
          action="Log out"
          onConfirm={leave}
          onCancel={() => setAsking(false)}
        />
      )}
    </footer>
  );
}

function aboutSession({ user, impersonator, expiresAt }: LoggedIn): string {
  const until = `until ${new Date(expiresAt).toLocaleString()}`;
  const by = impersonator === undefined ? [] : [`impersonated by ${impersonator}`];
  return [user.name, ...user.groups, ...by, until].join('\n');
}

const isCurrent = ({ path }: Route, { group, resource }: Kind): boolean => {
  const [view = '', ofGroup = '', ofResource = ''] = path;
  return ['objects', 'object', 'create'].includes(view) && groupOfName(ofGroup) === group && ofResource === resource;
};

function ViewLink({ href, name, isCurrent: isHere }: { href: string; name: string; isCurrent: boolean }) {
  return (
    <li>
      <a href={href} title={name} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
        {name}
      </a>
    </li>
  );
}
