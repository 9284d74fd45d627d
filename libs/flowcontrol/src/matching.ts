import type { UserInfo } from '@apichain/authn';
import type { RequestInfo } from '@apichain/request';
import type { NonResourceRule, ResourceRule, Subject } from './configuration.ts';

const serviceAccountPrefix = 'system:serviceaccount:';

/** `groups` are those of the user. A user may have, and a rule may list, tens of thousands of groups. */
export function matchesSubject(
  user: UserInfo,
  groups: ReadonlySet<string>,
  { kind, name, namespace }: Subject,
): boolean {
  if (kind === 'User') return name === '*' || name === user.name;
  if (kind === 'Group') return name === '*' || groups.has(name);
  if (name !== '*') return user.name === `${serviceAccountPrefix}${namespace}:${name}`;
  return user.name.startsWith(`${serviceAccountPrefix}${namespace}:`);
}

/** The wildcard counts only when it is the only entry, which validation ensures. */
const includes = (list: readonly string[], wanted: string): boolean =>
  (list.length === 1 && list[0] === '*') || list.includes(wanted);

export function matchesResource(info: RequestInfo, rule: ResourceRule): boolean {
  if (!includes(rule.verbs, info.verb) || !includes(rule.apiGroups, info.apiGroup)) return false;
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  if (!includes(rule.resources, resource)) return false;
  return info.namespace === '' ? rule.clusterScope : includes(rule.namespaces, info.namespace);
}

export function matchesPath(info: RequestInfo, rule: NonResourceRule): boolean {
  return includes(rule.verbs, info.verb) && rule.nonResourceURLs.some((pattern) => matchesUrl(info.path, pattern));
}

/** `/a/*` matches everything below `/a/`. `/a` matches that too, and the path itself. */
function matchesUrl(path: string, pattern: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  const prefix = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern;
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}

const all = (list: readonly string[]): boolean => list.length === 1 && list[0] === '*';

/** Whether the rule matches every resource request. */
export const isEveryResource = (rule: ResourceRule): boolean =>
  rule.clusterScope && all(rule.verbs) && all(rule.apiGroups) && all(rule.resources) && all(rule.namespaces);

export const isEveryPath = (rule: NonResourceRule): boolean => all(rule.verbs) && rule.nonResourceURLs.includes('*');
