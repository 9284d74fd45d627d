import type { UserInfo } from './user.ts';

/** Names and groups with a meaning of their own: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#anonymous-requests */
export const systemAnonymous = 'system:anonymous';
/** The group that may do everything. */
export const systemPrivilegedGroup = 'system:masters';
/** The group that may read health checks and metrics. */
export const systemMonitoringGroup = 'system:monitoring';
/** The group of every authenticated user. */
export const systemAuthenticatedGroup = 'system:authenticated';
/** The group of the anonymous user. */
export const systemUnauthenticatedGroup = 'system:unauthenticated';
/** The user as which a server calls itself. */
export const systemApiserver = 'system:apiserver';
/** Extra key that names the credential a request came with. */
export const credentialIdKey = 'authentication.kubernetes.io/credential-id';

/** What the names of service accounts begin with, before `<namespace>:<name>`. */
export const serviceAccountPrefix = 'system:serviceaccount:';
/** What the names of nodes begin with, before the name of the Node. */
export const nodeUserPrefix = 'system:node:';

/** Namespace and name of `system:serviceaccount:<namespace>:<name>`, or undefined for any other user name. */
export function parseServiceAccountName(name: string): { namespace: string; name: string } | undefined {
  if (!name.startsWith(serviceAccountPrefix)) return undefined;
  const parts = name.slice(serviceAccountPrefix.length).split(':');
  const [namespace, account] = parts;
  if (parts.length !== 2 || !isDnsLabel(namespace) || account === undefined || !isDnsSubdomain(account)) {
    return undefined;
  }
  return { namespace, name: account };
}

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const isDnsLabel = (text: string | undefined): text is string =>
  text !== undefined && text.length <= 63 && dnsLabel.test(text);
const isDnsSubdomain = (text: string) => text.length <= 253 && dnsSubdomain.test(text);

/** Groups every service account belongs to. */
export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

const authenticated = new WeakMap<UserInfo, UserInfo>();

/**
 * The user with `system:authenticated` added, unless it is anonymous or already placed on one of the two sides. For one and the same
 * user, as authenticators that remember theirs return it, the answer is one and the same too.
 */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.name === systemAnonymous) return user;
  if (user.groups.includes(systemAuthenticatedGroup) || user.groups.includes(systemUnauthenticatedGroup)) return user;
  let placed = authenticated.get(user);
  if (placed === undefined) {
    placed = { ...user, groups: [...user.groups, systemAuthenticatedGroup] };
    authenticated.set(user, placed);
  }
  return placed;
}
