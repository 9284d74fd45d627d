import { oncePerObject } from '@apichain/meta';
import type { UserInfo } from './authenticator.ts';

/** Predefined users and groups: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#anonymous-requests */
export const systemAnonymous = 'system:anonymous';
/** The group with full permissions. */
export const systemPrivilegedGroup = 'system:masters';
/** The group that may read health checks and metrics. */
export const systemMonitoringGroup = 'system:monitoring';
/** The group of every authenticated user. */
export const systemAuthenticatedGroup = 'system:authenticated';
/** The group of the anonymous user. */
export const systemUnauthenticatedGroup = 'system:unauthenticated';
/** The user of a server's loopback requests. */
export const systemApiserver = 'system:apiserver';
/** The extra key for the id of the credential that a request came with. */
export const credentialIdKey = 'authentication.kubernetes.io/credential-id';

/** The prefix of service account user names, before `<namespace>:<name>`. */
export const serviceAccountPrefix = 'system:serviceaccount:';
/** The prefix of node user names, before the name of the Node. */
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

/** The groups of every service account of a namespace. */
export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

const authenticated = oncePerObject((user: UserInfo): UserInfo => ({
  ...user,
  groups: [...user.groups, systemAuthenticatedGroup],
}));

/**
 * The user with `system:authenticated` added, unless the user is anonymous or already in one of the two groups. The same user object, as
 * authenticators with a cache return it, always gives the same result object.
 */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.name === systemAnonymous) return user;
  if (user.groups.includes(systemAuthenticatedGroup) || user.groups.includes(systemUnauthenticatedGroup)) return user;
  return authenticated(user);
}
