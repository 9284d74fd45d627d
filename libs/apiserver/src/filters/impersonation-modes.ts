import {
  nodeUserPrefix,
  parseServiceAccountName,
  serviceAccountGroups,
  systemAnonymous,
  systemAuthenticatedGroup,
  systemPrivilegedGroup,
  systemUnauthenticatedGroup,
  type UserInfo,
} from '@apichain/authn';
import { resourceAttributes, type AuthorizationAttributes, type Authorizer } from '@apichain/authz';
import type { ImpersonationModeLabel } from '@apichain/observability';
import { domainPrefixedPathErrors, field, isDNS1123Subdomain, BoundedCache } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { forbidden } from './authorization-attributes.ts';

const authenticationGroup = 'authentication.k8s.io';
const nodeNameKey = 'authentication.kubernetes.io/node-name';
const nodeKeysKey = 'authentication.kubernetes.io/associated-node-keys';
/** With this many groups or values of extras, a check for all of them (`*`) comes first. */
const many = 4;

/**
 * A mode of impersonation: the plain verb `impersonate`, or a constrained one that also checks which requests the impersonator may make.
 * https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
export interface ImpersonationMode {
  readonly constrained: boolean;
  /** The permission that the requestor needs for each part of the wanted user. */
  readonly verb: string;
  readonly applies: (wanted: UserInfo, requestor: UserInfo) => boolean;
  /** Rejects with Forbidden. */
  readonly check: (authorizer: Authorizer, wanted: UserInfo, request: AuthorizationAttributes) => Promise<void>;
  /** The wanted user with the groups implied by its name. */
  readonly actualUser: (wanted: UserInfo) => UserInfo;
}

const constrainedVerb = /^impersonate(?:-on)?:(associated-node|arbitrary-node|serviceaccount|user-info)(?::|$)/;

/** The mode of a verb that impersonation asks the authorizer for, as the metrics name it. */
export function modeOf(verb: string): ImpersonationModeLabel {
  const [, name] = constrainedVerb.exec(verb) ?? [];
  switch (name) {
    case 'associated-node':
    case 'arbitrary-node':
    case 'serviceaccount':
    case 'user-info':
      return name;
    default:
      return 'legacy';
  }
}

const onlyName = (wanted: UserInfo): boolean =>
  wanted.uid === '' && wanted.groups.length === 0 && Object.keys(wanted.extra).length === 0;
const isNode = (name: string): boolean =>
  name.startsWith(nodeUserPrefix) && isDNS1123Subdomain(name.slice(nodeUserPrefix.length)).length === 0;
const isAccount = (name: string): boolean => parseServiceAccountName(name) !== undefined;

/** Whether a service account's token is bound to the wanted node, or to a pod on it. */
function isOnNode(requestor: UserInfo, wanted: UserInfo): boolean {
  const [node, ...others] = requestor.extra[nodeNameKey] ?? [];
  return isAccount(requestor.name) && others.length === 0 && wanted.name === `${nodeUserPrefix}${node ?? ''}`;
}

/** The requestor without its node, so that the check applies to all tokens of the service account, on any node. */
function withoutNode(requestor: UserInfo): UserInfo {
  return { ...requestor, extra: { [nodeKeysKey]: Object.keys(requestor.extra).sort() } };
}

const legacy: ImpersonationMode = {
  constrained: false,
  verb: 'impersonate',
  applies: () => true,
  check: (authorizer, wanted, request) => checkParts(legacy, authorizer, wanted, request.user),
  actualUser: (wanted) => withImpliedGroups(wanted, wanted.groups),
};

function constrained(name: string, applies: ImpersonationMode['applies']): ImpersonationMode {
  const isAssociated = name === 'associated-node';
  const mode: ImpersonationMode = {
    constrained: true,
    verb: `impersonate:${name}`,
    applies,
    check: async (authorizer, wanted, request) => {
      const user = isAssociated ? withoutNode(request.user) : request.user;
      await check(authorizer, { ...request, user, verb: `impersonate-on:${name}:${request.verb}` });
      // The permission to impersonate the associated node applies to all nodes, so the check is for `*`.
      await checkParts(mode, authorizer, wanted, user, isAssociated ? '*' : undefined);
    },
    actualUser: (wanted) => withImpliedGroups(wanted, isNode(wanted.name) ? ['system:nodes'] : wanted.groups),
  };
  return mode;
}

/** The modes in the order in which they are tried. */
export const impersonationModes: readonly ImpersonationMode[] = [
  constrained(
    'associated-node',
    (wanted, requestor) => onlyName(wanted) && isNode(wanted.name) && isOnNode(requestor, wanted),
  ),
  constrained('arbitrary-node', (wanted) => onlyName(wanted) && isNode(wanted.name)),
  constrained('serviceaccount', (wanted) => onlyName(wanted) && isAccount(wanted.name)),
  constrained('user-info', (wanted) => !isNode(wanted.name) && !isAccount(wanted.name)),
  legacy,
];

async function isAllowed(authorizer: Authorizer, attributes: AuthorizationAttributes): Promise<boolean> {
  return (await authorizer.authorize(attributes)).decision === 'Allow';
}

async function check(authorizer: Authorizer, attributes: AuthorizationAttributes): Promise<void> {
  const result = await authorizer.authorize(attributes);
  if (result.decision !== 'Allow') throw forbidden(attributes, result.reason);
}

type Ask = (apiGroup: string, resource: string, name: string, subresource?: string) => AuthorizationAttributes;

/** Checks each part of the wanted user: name, uid, groups, extras. */
async function checkParts(
  { constrained: isConstrained, verb }: ImpersonationMode,
  authorizer: Authorizer,
  wanted: UserInfo,
  requestor: UserInfo,
  askedNode?: string,
): Promise<void> {
  const ask: Ask = (apiGroup, resource, name, subresource = '') =>
    resourceAttributes({ user: requestor, verb, apiGroup, apiVersion: 'v1', resource, subresource, name });
  const ownGroup = isConstrained ? authenticationGroup : '';
  const [resource, name, namespace] = namedObject(wanted.name, isConstrained);
  await check(authorizer, { ...ask(ownGroup, resource, askedNode ?? name), namespace });
  if (wanted.uid !== '') await check(authorizer, ask(authenticationGroup, 'uids', wanted.uid));
  await checkGroups(isConstrained, authorizer, wanted.groups, (name) => ask(ownGroup, 'groups', name));
  await checkExtras(isConstrained, authorizer, wanted.extra, ask);
}

/** The resource and name that a user name stands for. */
function namedObject(
  name: string,
  isConstrained: boolean,
): readonly [resource: string, name: string, namespace: string] {
  const account = parseServiceAccountName(name);
  if (account !== undefined) return ['serviceaccounts', account.name, account.namespace];
  return isConstrained && isNode(name) ? ['nodes', name.slice(nodeUserPrefix.length), ''] : ['users', name, ''];
}

async function checkGroups(
  isConstrained: boolean,
  authorizer: Authorizer,
  groups: readonly string[],
  ask: (name: string) => AuthorizationAttributes,
): Promise<void> {
  if (isConstrained) {
    if (groups.includes('')) throw forbidden(ask(''), 'impersonating the empty string group is not allowed');
    if (groups.includes(systemPrivilegedGroup)) {
      throw forbidden(ask(systemPrivilegedGroup), 'impersonating the system:masters group is not allowed');
    }
    if (groups.length >= many && (await isAllowed(authorizer, ask('*')))) return;
  }
  for (const group of groups) await check(authorizer, ask(group));
}

async function checkExtras(
  isConstrained: boolean,
  authorizer: Authorizer,
  extra: UserInfo['extra'],
  ask: Ask,
): Promise<void> {
  const values = Object.entries(extra).flatMap(([key, each]) => each.map((value) => [key, value] as const));
  if (isConstrained && values.length > 0) {
    for (const [key, each] of Object.entries(extra)) {
      const problem = extraProblem(key, each);
      if (problem !== undefined) throw forbidden(ask(authenticationGroup, 'userextras', ''), problem);
    }
    const wide = ask(authenticationGroup, 'userextras', '*', '*');
    if (values.length >= many && (await isAllowed(authorizer, wide))) return;
  }
  for (const [key, value] of values) await check(authorizer, ask(authenticationGroup, 'userextras', value, key));
}

/** Why constrained modes refuse an extra; undefined = it is allowed. Keys are lower case, as Node parses headers. */
function extraProblem(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  const errors = domainPrefixedPathErrors('extra.key', key);
  if (errors.length > 0) {
    return `impersonating an invalid key in extra is not allowed: ${field.aggregateFieldErrors(errors)}`;
  }
  if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined;
}

function withImpliedGroups(wanted: UserInfo, given: readonly string[]): UserInfo {
  const account = parseServiceAccountName(wanted.name);
  const groups = account !== undefined && given.length === 0 ? serviceAccountGroups(account.namespace) : [...given];
  const side = wanted.name === systemAnonymous ? systemUnauthenticatedGroup : systemAuthenticatedGroup;
  if (!groups.includes(side) && !groups.includes(systemUnauthenticatedGroup)) groups.push(side);
  return { ...wanted, groups };
}

const users = { maxEntries: 10_000 };

/** The mode that each user impersonated with last. It is tried first, so its refusal is reported. The least recently used entry is dropped. */
export class LastModes {
  readonly #byUser = new BoundedCache<ImpersonationMode>(users);
  readonly #modes: readonly ImpersonationMode[];

  constructor(modes: readonly ImpersonationMode[]) {
    this.#modes = modes;
  }

  order(user: string): readonly ImpersonationMode[] {
    const last = this.#byUser.get(user);
    return last === undefined ? this.#modes : [last, ...this.#modes.filter((mode) => mode !== last)];
  }

  remember(user: string, mode: ImpersonationMode): void {
    this.#byUser.set(user, mode);
  }
}
