import type { IncomingMessage } from 'node:http';
import { addExtra, headerUtf8, unescapeExtraKey, type UserInfo } from '@apichain/authn';
import type { AuthorizationAttributes, Authorizer } from '@apichain/authz';
import { goQuote } from '@apichain/go-text';
import { isStatusError, newBadRequest } from '@apichain/meta';
import type { ImpersonationMetrics } from '@apichain/observability';
import { scopeOf, writeStatusError, type Filter } from '@apichain/request';
import { attributesOf } from './authorization-attributes.ts';
import { impersonationModes, modeOf, LastModes, type ImpersonationMode } from './impersonation-modes.ts';

/**
 * Replaces the user of a request with the impersonated user, if the requestor may impersonate that user. Without `isConstrained` (the feature
 * gate ConstrainedImpersonation) only the verb impersonate allows it, and, as in kube-apiserver, `metrics` count nothing.
 */
export function impersonation(authorizer: Authorizer, isConstrained = true, metrics?: ImpersonationMetrics): Filter {
  const counts = isConstrained ? metrics : undefined;
  const asked = counts === undefined ? authorizer : countedChecks(authorizer, counts);
  const lastModes = new LastModes(modesOf(isConstrained));
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
    const refuseUser = (error: unknown) => {
      counts?.attempted('', false, secondsSince(start));
      refuse(error);
    };
    resolveUser(asked, lastModes, wanted, attributesOf(scope)).then(({ user, mode }) => {
      scope.user = user;
      scope.track?.('impersonation', performance.now() - start);
      counts?.attempted(modeOf(mode.verb), true, secondsSince(start));
      if (scope.audit !== undefined) {
        scope.audit.impersonatedUser = user;
        scope.audit.impersonationConstraint = mode.constrained ? mode.verb : '';
      }
      next();
    }, refuseUser);
  };
}

/** What impersonation makes of a user outside of the handler chain. Rejects with Forbidden, and with BadRequest for faulty headers. */
type Impersonator = (request: IncomingMessage, attributes: AuthorizationAttributes) => Promise<UserInfo>;

/** The user of the Impersonate-* headers of a request, if `attributes.user` may impersonate that user for what the attributes say. */
export function impersonator(authorizer: Authorizer, isConstrained = true): Impersonator {
  const lastModes = new LastModes(modesOf(isConstrained));
  return async (request, attributes) => {
    const wanted = impersonatedUser(request);
    if (wanted === undefined) return attributes.user;
    return (await resolveUser(authorizer, lastModes, wanted, attributes)).user;
  };
}

const modesOf = (isConstrained: boolean): readonly ImpersonationMode[] =>
  isConstrained ? impersonationModes : impersonationModes.filter((mode) => !mode.constrained);

/** Returns the first mode that allows the request, starting with the mode used last. Throws the first refusal if none does. */
async function resolveUser(
  authorizer: Authorizer,
  lastModes: LastModes,
  wanted: UserInfo,
  request: AuthorizationAttributes,
): Promise<{ readonly user: UserInfo; readonly mode: ImpersonationMode }> {
  let firstRefusal: unknown;
  const requestor = request.user.name;
  for (const mode of lastModes.order(requestor)) {
    if (!mode.applies(wanted, request.user)) continue;
    try {
      await mode.check(authorizer, wanted, request);
      lastModes.remember(requestor, mode);
      return { user: mode.actualUser(wanted), mode };
    } catch (error) {
      firstRefusal ??= error;
    }
  }
  throw firstRefusal;
}

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** The authorizer, with each check counted by the mode that its verb belongs to. A check that fails counts as denied. */
function countedChecks(authorizer: Authorizer, metrics: ImpersonationMetrics): Authorizer {
  return {
    authorize: async (attributes) => {
      const start = performance.now();
      let isAllowed = false;
      try {
        const result = await authorizer.authorize(attributes);
        isAllowed = result.decision === 'Allow';
        return result;
      } finally {
        metrics.checked(modeOf(attributes.verb), isAllowed, secondsSince(start));
      }
    },
  };
}

const extraPrefix = 'impersonate-extra-';

/**
 * The user of the Impersonate-* headers; undefined = none. Throws a BadRequest StatusError when they name
 * groups, a uid or extras without a user. https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
function impersonatedUser(request: IncomingMessage): UserInfo | undefined {
  const raw = request.rawHeaders;
  let name = '';
  let uid = '';
  let asked = false;
  const groups: string[] = [];
  const extra: Record<string, string[]> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const header = raw[i] ?? '';
    if (header.length < 15 || (header.charCodeAt(0) | 0x20) !== 0x69) continue;
    const lower = header.toLowerCase();
    const value = headerUtf8(raw[i + 1] ?? '');
    if (lower === 'impersonate-user') name ||= value;
    else if (lower === 'impersonate-uid') uid ||= value;
    else if (lower === 'impersonate-group') groups.push(value);
    else if (lower.startsWith(extraPrefix)) addExtra(extra, unescapeExtraKey(lower.slice(extraPrefix.length)), value);
    else continue;
    asked = true;
  }
  if (!asked) return undefined;
  const wanted: UserInfo = { name, uid, groups, extra };
  if (name !== '') return wanted;
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw newBadRequest(`requested ${goSyntax(wanted)} without impersonating a user name`);
}

/** The user in the format of Go's %#v of user.DefaultInfo, for the error message. */
function goSyntax(user: UserInfo): string {
  const strings = (values: readonly string[]) => `[]string{${values.map(goQuote).join(', ')}}`;
  const groups = user.groups.length === 0 ? '[]string(nil)' : strings(user.groups);
  const keys = Object.keys(user.extra).sort();
  const entries = keys.map((key) => `${goQuote(key)}:${strings(user.extra[key] ?? [])}`);
  const extra = keys.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${goQuote(user.name)}, UID:${goQuote(user.uid)}, Groups:${groups}, Extra:${extra}}`;
}
