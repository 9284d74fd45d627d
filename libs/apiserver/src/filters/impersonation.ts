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
import type { AuthorizationAttributes, Authorizer } from '@apichain/authz';
import { isStatusError } from '@apichain/meta';
import { scopeOf } from '../request-scope.ts';
import { writeStatusError } from '../responses.ts';
import { attributesOf, forbidden } from './authorization-attributes.ts';
import type { Filter } from './filter.ts';
import { impersonatedUser } from './impersonation-headers.ts';

const authenticationGroup = 'authentication.k8s.io';

interface Mode {
  /** `legacy` uses the plain verb `impersonate`. */
  readonly name: 'arbitrary-node' | 'serviceaccount' | 'user-info' | 'legacy';
  readonly applies: (wanted: UserInfo) => boolean;
}

const onlyName = (wanted: UserInfo) =>
  wanted.uid === '' && wanted.groups.length === 0 && Object.keys(wanted.extra).length === 0;
const isNode = (name: string) => name.startsWith(nodeUserPrefix) && name.length > nodeUserPrefix.length;

/** The constrained modes, then the one that was there before them: the first that allows wins, else the first refusal is told. */
const modes: readonly Mode[] = [
  { name: 'arbitrary-node', applies: (wanted) => onlyName(wanted) && isNode(wanted.name) },
  {
    name: 'serviceaccount',
    applies: (wanted) => onlyName(wanted) && parseServiceAccountName(wanted.name) !== undefined,
  },
  {
    name: 'user-info',
    applies: (wanted) => !isNode(wanted.name) && parseServiceAccountName(wanted.name) === undefined,
  },
  { name: 'legacy', applies: () => true },
];

/** Lets who may impersonate act as somebody else; the request goes on as that user. */
export function impersonation(authorizer: Authorizer): Filter {
  return (request, response, next) => {
    const scope = scopeOf(request);
    if (scope.delegated) {
      next();
      return;
    }
    const refuse = (error: unknown) => {
      if (!isStatusError(error)) {
        next(error);
        return;
      }
      response.setHeader('X-Content-Type-Options', 'nosniff');
      writeStatusError(request, response, error);
    };
    let wanted: UserInfo | undefined;
    try {
      wanted = impersonatedUser(request);
    } catch (error) {
      refuse(error);
      return;
    }
    if (wanted === undefined) {
      next();
      return;
    }
    const start = performance.now();
    resolveUser(authorizer, wanted, attributesOf(scope)).then(({ user, mode }) => {
      scope.user = user;
      if (scope.audit !== undefined) {
        scope.audit.track('impersonation', performance.now() - start);
        scope.audit.impersonatedUser = user;
        scope.audit.impersonationConstraint = mode.name === 'legacy' ? '' : verbOf(mode);
      }
      next();
    }, refuse);
  };
}

async function resolveUser(
  authorizer: Authorizer,
  wanted: UserInfo,
  request: AuthorizationAttributes,
): Promise<{ readonly user: UserInfo; readonly mode: Mode }> {
  let firstRefusal: unknown;
  for (const mode of modes) {
    if (!mode.applies(wanted)) continue;
    try {
      if (mode.name !== 'legacy') {
        await check(authorizer, { ...request, verb: `impersonate-on:${mode.name}:${request.verb}` });
      }
      for (const asked of checksOf(mode, wanted, request.user)) await check(authorizer, asked);
      return { user: actualUser(mode, wanted), mode };
    } catch (error) {
      firstRefusal ??= error;
    }
  }
  throw firstRefusal;
}

/** The right that the requestor needs for each thing that the wanted user consists of. */
const verbOf = ({ name }: Mode): string => (name === 'legacy' ? 'impersonate' : `impersonate:${name}`);

async function check(authorizer: Authorizer, attributes: AuthorizationAttributes): Promise<void> {
  const result = await authorizer.authorize(attributes);
  if (result.decision !== 'Allow') throw forbidden(attributes, result.reason);
}

/** One question for each thing the wanted user consists of. Throws at once for what no constrained mode allows. */
function checksOf(mode: Mode, wanted: UserInfo, requestor: UserInfo): AuthorizationAttributes[] {
  const constrained = mode.name !== 'legacy';
  const verb = verbOf(mode);
  const userGroup = constrained ? authenticationGroup : '';
  const ask = (apiGroup: string, resource: string, name: string, more: Partial<AuthorizationAttributes> = {}) => ({
    user: requestor,
    verb,
    isResourceRequest: true,
    path: '',
    apiGroup,
    apiVersion: 'v1',
    resource,
    subresource: '',
    namespace: '',
    name,
    fieldSelector: '',
    labelSelector: '',
    ...more,
  });
  const checks: AuthorizationAttributes[] = [];
  const account = parseServiceAccountName(wanted.name);
  if (account !== undefined)
    checks.push(ask(userGroup, 'serviceaccounts', account.name, { namespace: account.namespace }));
  else if (constrained && isNode(wanted.name)) {
    checks.push(ask(userGroup, 'nodes', wanted.name.slice(nodeUserPrefix.length)));
  } else checks.push(ask(userGroup, 'users', wanted.name));
  if (wanted.uid !== '') checks.push(ask(authenticationGroup, 'uids', wanted.uid));
  for (const group of wanted.groups) {
    const asked = ask(userGroup, 'groups', group);
    if (constrained && group === '') throw forbidden(asked, 'impersonating the empty string group is not allowed');
    if (constrained && group === systemPrivilegedGroup) {
      throw forbidden(asked, 'impersonating the system:masters group is not allowed');
    }
    checks.push(asked);
  }
  for (const [key, values] of Object.entries(wanted.extra)) {
    for (const value of values) checks.push(ask(authenticationGroup, 'userextras', value, { subresource: key }));
  }
  return checks;
}

/** The user with the groups that follow from its name. */
function actualUser(mode: Mode, wanted: UserInfo): UserInfo {
  let groups = [...wanted.groups];
  const account = parseServiceAccountName(wanted.name);
  if (mode.name === 'arbitrary-node') groups = ['system:nodes'];
  else if (account !== undefined && groups.length === 0) groups = serviceAccountGroups(account.namespace);
  const side = wanted.name === systemAnonymous ? systemUnauthenticatedGroup : systemAuthenticatedGroup;
  if (!groups.includes(side) && !groups.includes(systemUnauthenticatedGroup)) groups.push(side);
  return { ...wanted, groups };
}
