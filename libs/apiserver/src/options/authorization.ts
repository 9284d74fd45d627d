import {
  AbacAuthorizer,
  AccessReviewAuthorizer,
  alwaysAllow,
  alwaysDeny,
  AlwaysAllowPathsAuthorizer,
  ConfirmedAuthorizer,
  InformedNodes,
  InformedRoles,
  MatchConditions,
  NodeAuthorizer,
  parseAbacPolicies,
  publicInfoPaths,
  RbacAuthorizer,
  ReplaceableAuthorizer,
  UnionAuthorizer,
  WebhookAuthorizer,
  type AuthorizationConfiguration,
  type Authorizer,
  type WebhookConfiguration,
} from '@apichain/authz';
import { RestClient } from '@apichain/client';
import type { FollowedFiles } from '../dynamic-certificates/followed-files.ts';
import type { HookContext, PostStartHook } from '../health/post-start-hooks.ts';
import {
  authorizationConfigFile,
  authorizationOfFlags,
  readAuthorizationConfiguration,
} from './authorization-config.ts';
import { FlagError } from './flag.ts';
import { messageOf, readFlagFile, readNamed } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';
import { reviewVersionOf, reviewWebhookAt } from './review-webhook.ts';

/** Who may do what, as the flags say. */
export interface AuthorizationParts {
  readonly authorizer: Authorizer;
  readonly hooks: readonly (readonly [string, PostStartHook])[];
}

/** Where a server finds Roles and RoleBindings: `own` = it serves them, `delegate` = a later server of the chain does. */
export type RoleLocation = 'own' | 'delegate';

/** A copy of objects that an authorizer asks. */
interface Followed {
  start(client: RestClient, signal: AbortSignal, onError: (error: unknown) => void): Promise<void>;
}

/**
 * The authorizers in the order of `--authorization-mode` or of the file of `--authorization-config`, whose changes are followed;
 * system:masters is asked first by the server itself. Throws FlagError.
 * A server that has no way to the roles (`roles` undefined) lets nobody but system:masters in when it is reached directly.
 */
export function authorizationOf(
  flags: ParsedFlags,
  files: FollowedFiles,
  roles: RoleLocation | undefined,
): AuthorizationParts {
  const path = authorizationConfigFile(flags);
  const text = path === undefined ? undefined : readNamed(path);
  const configuration = text === undefined ? authorizationOfFlags(flags) : readAuthorizationConfiguration(text);
  const lasting = new LastingAuthorizers(flags, roles, configuration);
  const first = new UnionAuthorizer(authorizersOf(configuration, lasting));
  let authorizer: Authorizer = first;
  if (path !== undefined) {
    const current = new ReplaceableAuthorizer(first);
    authorizer = current;
    files.follow(
      [path],
      ([content = '']) =>
        content === text
          ? first
          : new UnionAuthorizer(authorizersOf(readAuthorizationConfiguration(content, lasting.builtInTypes), lasting)),
      (next) => current.replace(next),
    );
  }
  const { followed } = lasting;
  if (roles === undefined || followed.length === 0) return { authorizer, hooks: [] };
  const owner = roles === 'delegate' ? new AccessReviewAuthorizer() : undefined;
  return {
    authorizer: owner === undefined ? authorizer : new ConfirmedAuthorizer(authorizer, owner),
    hooks: [['rbac-informers', follow(followed, owner)]],
  };
}

/** The authorizers that have state of their own: made once, whatever the file says later. */
class LastingAuthorizers {
  readonly followed: Followed[] = [];
  /** What the server has started with, without webhooks. */
  readonly builtInTypes: ReadonlySet<string>;
  readonly #flags: ParsedFlags;
  readonly #byType = new Map<string, Authorizer | undefined>();

  constructor(flags: ParsedFlags, roles: RoleLocation | undefined, { authorizers }: AuthorizationConfiguration) {
    this.#flags = flags;
    this.builtInTypes = new Set(authorizers.map(({ type }) => type).filter((type) => type !== 'Webhook'));
    const reaches = roles !== undefined;
    for (const type of this.builtInTypes) {
      if (type === 'RBAC') this.#byType.set(type, reaches ? this.#rbac() : undefined);
      else if (type === 'Node') this.#byType.set(type, reaches ? this.#node() : undefined);
      else if (type === 'ABAC') this.#byType.set(type, abac(flags));
    }
    this.#byType.set('AlwaysAllow', alwaysAllow);
    this.#byType.set('AlwaysDeny', alwaysDeny);
  }

  /** Throws FlagError for a type that was not there at the start. */
  of(type: string): Authorizer[] {
    if (!this.#byType.has(type))
      throw new FlagError(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`);
    const found = this.#byType.get(type);
    return found === undefined ? [] : [found];
  }

  /** What everybody may see without roles that say so. */
  publicInfo(): Authorizer[] {
    const needed = this.#byType.get('RBAC') === undefined && !this.builtInTypes.has('AlwaysDeny');
    return needed ? [new AlwaysAllowPathsAuthorizer(publicInfoPaths)] : [];
  }

  /** The version that a webhook's flag says is checked like any other flag. */
  reviewVersion({ subjectAccessReviewVersion }: WebhookConfiguration): string {
    return this.#flags.string('authorization-config') === ''
      ? reviewVersionOf(this.#flags, 'authorization-webhook-version')
      : subjectAccessReviewVersion;
  }

  #rbac(): Authorizer {
    const roles = new InformedRoles();
    this.followed.push(roles);
    return new RbacAuthorizer(roles);
  }

  #node(): Authorizer {
    const nodes = new InformedNodes();
    this.followed.push(nodes);
    return new NodeAuthorizer(nodes.graph);
  }
}

const authorizersOf = ({ authorizers }: AuthorizationConfiguration, lasting: LastingAuthorizers): Authorizer[] => [
  ...lasting.publicInfo(),
  ...authorizers.flatMap(({ type, webhook }) =>
    webhook === undefined ? lasting.of(type) : [webhookAuthorizer(webhook, lasting)],
  ),
];

function abac(flags: ParsedFlags): Authorizer {
  const flag = 'authorization-policy-file';
  const text = readFlagFile(flags, flag);
  if (text === undefined) throw new FlagError('invalid authorization config: open : no such file or directory');
  try {
    return new AbacAuthorizer(parseAbacPolicies(text));
  } catch (error) {
    throw new FlagError(`--${flag}: ${flags.string(flag)}: ${messageOf(error)}`);
  }
}

/** Throws FlagError. */
function webhookAuthorizer(webhook: WebhookConfiguration, lasting: LastingAuthorizers): Authorizer {
  const { connectionInfo, matchConditions, timeout } = webhook;
  return new WebhookAuthorizer({
    webhook: reviewWebhookAt(connectionInfo.kubeConfigFile ?? '', 'invalid authorization config', timeout),
    version: lasting.reviewVersion(webhook),
    authorizedTtlMs: webhook.cacheAuthorizedRequests ? webhook.authorizedTTL : 0,
    unauthorizedTtlMs: webhook.cacheUnauthorizedRequests ? webhook.unauthorizedTTL : 0,
    decisionOnError: webhook.failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion',
    ...(matchConditions.length === 0 ? {} : { matchConditions: new MatchConditions(matchConditions) }),
  });
}

/** Starts the copies; with an `owner`, a later server of the chain, it is asked what they do not allow. */
function follow(followed: readonly Followed[], owner: AccessReviewAuthorizer | undefined): PostStartHook {
  return async ({ loopback, signal, logger }: HookContext): Promise<void> => {
    const client = new RestClient(loopback.connect('kube-apiserver/rbac'));
    signal.addEventListener('abort', () => void client.close(), { once: true });
    owner?.start(client);
    const onError = (error: unknown) => logger.debug({ err: error }, 'authorization: will try again');
    const synced = Promise.all(followed.map((each) => each.start(client, signal, onError)));
    // The servers after this one may still be starting: they answer for themselves until the copy is there.
    if (owner === undefined) await synced;
  };
}
