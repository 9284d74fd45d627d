import { errorMessage } from '@apichain/meta';
import { systemPrivilegedGroup } from '@apichain/authn';
import {
  AbacAuthorizer,
  AuthorizationDecisions,
  alwaysAllow,
  alwaysDeny,
  AlwaysAllowPathsAuthorizer,
  FollowedNodes,
  FollowedRoles,
  MatchConditions,
  NodeAuthorizer,
  parseAbacPolicies,
  PrivilegedGroupsAuthorizer,
  RbacAuthorizer,
  ReplaceableAuthorizer,
  UnionAuthorizer,
  WebhookAuthorizer,
  type AuthorizationConfiguration,
  type Authorizer,
  type WebhookConfiguration,
} from '@apichain/authz';
import type { ResourceStores } from '@apichain/storage';
import type { FollowedFiles } from '@apichain/serving';
import type { HookContext, PostStartHook } from '@apichain/observability';
import {
  authorizationConfigFile,
  authorizationOfFlags,
  readAuthorizationConfiguration,
} from './authorization-config.ts';
import { FlagError } from './flag.ts';
import { readFlagFile, readNamed } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';
import { reviewVersionOf, reviewWebhookAt } from './review-webhook.ts';

/** The authorization that the flags configure. */
export interface AuthorizationParts {
  /** Decides on every request, including those of system:masters. */
  readonly authorizer: Authorizer;
  readonly hooks: readonly (readonly [string, PostStartHook])[];
  /** Counts what each authorizer of the configuration decides. */
  readonly decisions?: AuthorizationDecisions;
}

/** Copies of the objects that authorizers decide by. The servers of one process share them. */
export class FollowedRights {
  readonly roles = new FollowedRoles();
  readonly nodes = new FollowedNodes();
}

/** The dependencies of a service's authorizers. */
interface AuthorizationSources {
  /** The stores of the built-in resources, of this server or another one. */
  readonly stores: ResourceStores;
  readonly rights?: FollowedRights;
  /** Paths that every user may GET, whatever the authorizers decide. */
  readonly alwaysAllowPaths?: readonly string[];
}

/**
 * The authorizers in the order of `--authorization-mode` or of the file of `--authorization-config`, whose changes are applied. system:masters
 * comes first and is allowed everything. The authorizers watch their objects in etcd, so every service of the chain decides in the same way,
 * independently of the other services. Throws FlagError.
 */
export function authorizationOf(
  flags: ParsedFlags,
  files: FollowedFiles,
  { stores, rights = new FollowedRights(), alwaysAllowPaths = [] }: AuthorizationSources,
): AuthorizationParts {
  const path = authorizationConfigFile(flags);
  const text = path === undefined ? undefined : readNamed(path);
  const configuration = text === undefined ? authorizationOfFlags(flags) : readAuthorizationConfiguration(text);
  const retained = new RetainedAuthorizers(flags, rights, configuration, alwaysAllowPaths);
  const first = authorizerOf(configuration, retained);
  let authorizer: Authorizer = first;
  if (path !== undefined) {
    const current = new ReplaceableAuthorizer(first);
    authorizer = current;
    files.follow(
      [path],
      ([content = '']) =>
        content === text
          ? first
          : authorizerOf(readAuthorizationConfiguration(content, retained.builtInTypes), retained),
      (next) => current.replace(next),
    );
  }
  return {
    authorizer,
    hooks: [['rbac-informers', follow(rights, configuration, stores)]],
    decisions: retained.decisions,
  };
}

/** The authorizers with state of their own. They are created once and are kept when the file changes. */
class RetainedAuthorizers {
  readonly decisions = new AuthorizationDecisions();
  /** The types that the server was started with, without webhooks. */
  readonly builtInTypes: ReadonlySet<string>;
  readonly #flags: ParsedFlags;
  readonly #alwaysAllowPaths: readonly string[];
  readonly #byType = new Map<string, Authorizer>();

  constructor(
    flags: ParsedFlags,
    { roles, nodes }: FollowedRights,
    { authorizers }: AuthorizationConfiguration,
    alwaysAllowPaths: readonly string[],
  ) {
    this.#alwaysAllowPaths = alwaysAllowPaths;
    this.#flags = flags;
    this.builtInTypes = new Set(authorizers.map(({ type }) => type).filter((type) => type !== 'Webhook'));
    for (const type of this.builtInTypes) {
      if (type === 'RBAC') this.#byType.set(type, new RbacAuthorizer(roles, roles.copy));
      else if (type === 'Node') this.#byType.set(type, new NodeAuthorizer(nodes.graph, nodes.copy));
      else if (type === 'ABAC') this.#byType.set(type, abac(flags));
    }
    this.#byType.set('AlwaysAllow', alwaysAllow);
    this.#byType.set('AlwaysDeny', alwaysDeny);
  }

  /** Throws FlagError for a type that was not configured at the start. */
  of(type: string): Authorizer {
    const found = this.#byType.get(type);
    if (found !== undefined) return found;
    throw new FlagError(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`);
  }

  /** Allows the paths of the server that every user may read, whatever the modes are. */
  openPaths(): Authorizer[] {
    return this.#alwaysAllowPaths.length === 0 ? [] : [new AlwaysAllowPathsAuthorizer(this.#alwaysAllowPaths)];
  }

  /** The version in a webhook's flag is validated like any other flag. */
  reviewVersion({ subjectAccessReviewVersion }: WebhookConfiguration): string {
    return this.#flags.string('authorization-config') === ''
      ? reviewVersionOf(this.#flags, 'authorization-webhook-version')
      : subjectAccessReviewVersion;
  }
}

const authorizerOf = ({ authorizers }: AuthorizationConfiguration, retained: RetainedAuthorizers): Authorizer =>
  new UnionAuthorizer([
    new PrivilegedGroupsAuthorizer(systemPrivilegedGroup),
    ...retained.openPaths(),
    ...authorizers.map(({ type, name, webhook }) =>
      retained.decisions.counting(
        type,
        name,
        webhook === undefined ? retained.of(type) : webhookAuthorizer(webhook, retained),
      ),
    ),
  ]);

function abac(flags: ParsedFlags): Authorizer {
  const flag = 'authorization-policy-file';
  const text = readFlagFile(flags, flag);
  if (text === undefined) throw new FlagError('invalid authorization config: open : no such file or directory');
  try {
    return new AbacAuthorizer(parseAbacPolicies(text));
  } catch (error) {
    throw new FlagError(`--${flag}: ${flags.string(flag)}: ${errorMessage(error)}`);
  }
}

/** Throws FlagError. */
function webhookAuthorizer(webhook: WebhookConfiguration, retained: RetainedAuthorizers): Authorizer {
  const { connectionInfo, matchConditions, timeout } = webhook;
  return new WebhookAuthorizer({
    webhook: reviewWebhookAt(connectionInfo.kubeConfigFile ?? '', 'invalid authorization config', timeout),
    version: retained.reviewVersion(webhook),
    authorizedTtlMs: webhook.cacheAuthorizedRequests ? webhook.authorizedTTL : 0,
    unauthorizedTtlMs: webhook.cacheUnauthorizedRequests ? webhook.unauthorizedTTL : 0,
    decisionOnError: webhook.failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion',
    ...(matchConditions.length === 0 ? {} : { matchConditions: new MatchConditions(matchConditions) }),
  });
}

/**
 * Roles are watched from the start. The objects of the Node authorizer are watched from the first request of a node on, because that copy is
 * large.
 */
function follow(
  { roles, nodes }: FollowedRights,
  { authorizers }: AuthorizationConfiguration,
  stores: ResourceStores,
): PostStartHook {
  const has = (wanted: string) => authorizers.some(({ type }) => type === wanted);
  return async ({ signal, logger }: HookContext): Promise<void> => {
    const onError = (error: unknown) =>
      logger.debug({ err: error }, 'reading RBAC objects or the node graph failed, will be tried again');
    if (authorizers.length === 0)
      logger.warn('--authorization-mode is not set: only members of system:masters are allowed anything');
    if (has('Node')) nodes.copy.startWhenNeeded({ stores, onError }, signal);
    if (has('RBAC')) await roles.copy.start({ stores, onError }, signal);
  };
}
