import { useEffect, useRef, useState } from 'preact/hooks';
import { canList, type Kind } from '../api/kinds.ts';
import { groupOfName, linkTo, type Route } from './routes.ts';
import { logOut, type LoggedIn } from '../api/session.ts';

interface SidebarProps {
  readonly kinds: readonly Kind[];
  readonly route: Route;
  readonly session: LoggedIn;
}

/** The views, and every kind that can be listed by its group. */
export function Sidebar({ kinds, route, session }: SidebarProps) {
  const [search, setSearch] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // A slash goes to the search field, as in other consoles, unless somebody types.
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const namespace = route.query.get('namespace') ?? '';
  const shown = kinds.filter((kind) => canList(kind) && matches(kind, search.toLowerCase()));
  const groups = [...new Set(shown.map(({ group }) => group))].sort((a, b) => rankOf(a) - rankOf(b));
  const here = route.path.slice(0, 3).join('/');
  useEffect(() => {
    document.querySelector('.kinds [aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [here, kinds.length]);
  return (
    <nav class="sidebar" aria-label="Console">
      <a class="brand" href={linkTo.list({ group: '', resource: 'namespaces' })}>
        <img src="/icon.svg" alt="" width="22" height="22" />
        apichain
      </a>
      <ul class="views">
        <ViewLink href={linkTo.workloads({ namespace })} name="Workloads" isCurrent={route.path[0] === 'workloads'} />
        <ViewLink href={linkTo.requests()} name="Requests" isCurrent={route.path[0] === 'requests'} />
        <ViewLink href={linkTo.apis()} name="API services" isCurrent={route.path[0] === 'apis'} />
        <ViewLink href={linkTo.explorer()} name="API explorer" isCurrent={route.path[0] === 'explorer'} />
        <ViewLink href={linkTo.access()} name="Access" isCurrent={route.path[0] === 'access'} />
      </ul>
      <input
        class="search"
        type="search"
        placeholder="Find a kind  ( / )"
        aria-label="Find a kind"
        ref={input}
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <div class="kinds">
        {groups.map((group) => (
          <section key={group} aria-label={group === '' ? 'core' : group}>
            <h2 title={group === '' ? 'core' : group}>{group === '' ? 'core' : group}</h2>
            <ul>
              {shown
                .filter((kind) => kind.group === group)
                .map((kind) => (
                  <ViewLink
                    key={kind.resource}
                    href={linkTo.list(kind, kind.namespaced ? namespace : '')}
                    name={kind.kind}
                    isCurrent={isCurrent(route, kind)}
                  />
                ))}
            </ul>
          </section>
        ))}
        {kinds.length > 0 && shown.length === 0 && <p class="quiet">No kind has this name.</p>}
      </div>
      <footer class="user">
        <span title={aboutSession(session)}>{session.user.name}</span>
        <button type="button" class="plain" onClick={() => void logOut()}>
          Log out
        </button>
      </footer>
    </nav>
  );
}

function aboutSession({ user, impersonator, expiresAt }: LoggedIn): string {
  const until = `until ${new Date(expiresAt).toLocaleString()}`;
  const by = impersonator === undefined ? [] : [`impersonated by ${impersonator}`];
  return [user.name, ...user.groups, ...by, until].join('\n');
}

/** Core first, then groups of custom resources, then the others: most work is with these. */
function rankOf(group: string): number {
  if (group === '') return 0;
  if (!group.endsWith('.k8s.io') && group.includes('.')) return 1;
  return ['apps', 'batch', 'networking.k8s.io', 'rbac.authorization.k8s.io'].includes(group) ? 2 : 3;
}

const matches = ({ kind, resource, group, shortNames }: Kind, text: string): boolean =>
  text === '' ||
  kind.toLowerCase().includes(text) ||
  resource.includes(text) ||
  group.includes(text) ||
  shortNames.includes(text);

const isCurrent = ({ path }: Route, { group, resource }: Kind): boolean => {
  const [view = 'objects', ofGroup = 'core', ofResource = 'namespaces'] = path;
  return ['objects', 'object', 'create'].includes(view) && groupOfName(ofGroup) === group && ofResource === resource;
};

function ViewLink({ href, name, isCurrent }: { href: string; name: string; isCurrent: boolean }) {
  return (
    <li>
      <a href={href} title={name} {...(isCurrent ? { 'aria-current': 'page' as const } : {})}>
        {name}
      </a>
    </li>
  );
}
