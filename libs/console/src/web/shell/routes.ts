import { useEffect, useState } from 'preact/hooks';
import type { Kind } from '../api/kinds.ts';

/** The place in the console, from the fragment of the URL: `#/objects/apps/deployments?namespace=default`. */
export interface Route {
  /** Decoded segments of the path. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

const coreName = 'core';

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const segments = path.split('/').filter((segment) => segment !== '');
  return { path: segments.map((segment) => decodeURIComponent(segment)), query: new URLSearchParams(query) };
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return parseRoute(hash);
}

function link(segments: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  return `#/${segments.map(encodeURIComponent).join('/')}${search}`;
}

export const go = (href: string): void => {
  location.hash = href;
};

/** Changes parts of the query of the place, without another entry in the history. An empty value is left out. */
export function replaceQuery(changes: Readonly<Record<string, string>>): void {
  const { path, query } = parseRoute(location.hash);
  history.replaceState(null, '', link(path, { ...Object.fromEntries(query), ...changes }));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

const groupName = (group: string): string => (group === '' ? coreName : group);
export const groupOfName = (name: string): string => (name === coreName ? '' : name);

export const linkTo = {
  overview: (namespace = '') => link(['overview'], { namespace }),
  list: ({ group, resource }: Pick<Kind, 'group' | 'resource'>, namespace = '', name = '') =>
    link(['objects', groupName(group), resource], { namespace, name }),
  create: ({ group, resource }: Kind, namespace = '') => link(['create', groupName(group), resource], { namespace }),
  object: ({ group, resource }: Kind, namespace: string, name: string, tab = 'yaml') =>
    link(['object', groupName(group), resource, namespace === '' ? '-' : namespace, name, tab]),
  workloads: (query: Readonly<Record<string, string>> = {}) => link(['workloads'], query),
  timeline: (query: Readonly<Record<string, string>> = {}) => link(['timeline'], query),
  requests: () => link(['requests']),
  request: (auditId: string) => link(['requests', auditId]),
  apis: () => link(['apis']),
  explorer: (groupVersion = '', kind = '') =>
    link(['explorer', ...(groupVersion === '' ? [] : [groupVersion]), ...(kind === '' ? [] : [kind])]),
  access: (question: Readonly<Record<string, string>> = {}) => link(['access'], question),
};
