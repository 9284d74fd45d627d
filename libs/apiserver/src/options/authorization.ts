import {
  AbacAuthorizer,
  AccessReviewAuthorizer,
  alwaysAllow,
  alwaysDeny,
  AlwaysAllowPathsAuthorizer,
  ConfirmedAuthorizer,
  InformedNodes,
  InformedRoles,
  NodeAuthorizer,
  parseAbacPolicies,
  publicInfoPaths,
  RbacAuthorizer,
  UnionAuthorizer,
  WebhookAuthorizer,
  type Authorizer,
} from '@apichain/authz';
import { RestClient } from '@apichain/client';
import type { HookContext, PostStartHook } from '../health/post-start-hooks.ts';
import { FlagError } from './flag.ts';
import { readFlagFile } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';
import { reviewVersionOf, reviewWebhookOf } from './review-webhook.ts';

/** What `--authorization-mode` makes of a server. */
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
 * The authorizers in the order of the flag; system:masters is asked first by the server itself. Throws FlagError for an unknown mode, and where
 * a mode and its file are not given together.
 * A server that has no way to the roles (`roles` undefined) lets nobody but system:masters in when it is reached directly.
 */
export function authorizationOf(flags: ParsedFlags, roles: RoleLocation | undefined): AuthorizationParts {
  const authorizers: Authorizer[] = [];
  const followed: Followed[] = [];
  const modes = flags.strings('authorization-mode');
  const followsRoles = modes.includes('RBAC') && roles !== undefined;
  if (!followsRoles && !modes.includes('AlwaysDeny')) authorizers.push(new AlwaysAllowPathsAuthorizer(publicInfoPaths));
  for (const mode of modes) {
    if (mode === 'AlwaysAllow') authorizers.push(alwaysAllow);
    else if (mode === 'AlwaysDeny') authorizers.push(alwaysDeny);
    else if (mode === 'RBAC' || mode === 'Node') {
      if (roles !== undefined) authorizers.push(mode === 'RBAC' ? rbac(followed) : node(followed));
    } else if (mode === 'ABAC') authorizers.push(abac(flags));
    else if (mode === 'Webhook') authorizers.push(webhook(flags));
    else throw new FlagError(`--authorization-mode: authorization mode ${mode} not recognized`);
  }
  for (const [mode, flag] of modeFiles) {
    if (flags.string(flag) !== '' && !modes.includes(mode))
      throw new FlagError(`cannot specify --${flag} without mode ${mode}`);
  }
  const union = new UnionAuthorizer(authorizers);
  if (roles === undefined || followed.length === 0) return { authorizer: union, hooks: [] };
  const owner = roles === 'delegate' ? new AccessReviewAuthorizer() : undefined;
  return {
    authorizer: owner === undefined ? union : new ConfirmedAuthorizer(union, owner),
    hooks: [['rbac-informers', follow(followed, owner)]],
  };
}

const modeFiles = [
  ['ABAC', 'authorization-policy-file'],
  ['Webhook', 'authorization-webhook-config-file'],
] as const;

function abac(flags: ParsedFlags): Authorizer {
  const flag = 'authorization-policy-file';
  const text = readFlagFile(flags, flag);
  if (text === undefined) throw new FlagError("authorization-mode ABAC's authorization policy file not passed");
  try {
    return new AbacAuthorizer(parseAbacPolicies(text));
  } catch (error) {
    throw new FlagError(`--${flag}: ${flags.string(flag)}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function webhook(flags: ParsedFlags): Authorizer {
  const found = reviewWebhookOf(flags, 'authorization-webhook-config-file');
  if (found === undefined) throw new FlagError("authorization-mode Webhook's authorization config file not passed");
  return new WebhookAuthorizer({
    webhook: found,
    version: reviewVersionOf(flags, 'authorization-webhook-version'),
    authorizedTtlMs: flags.duration('authorization-webhook-cache-authorized-ttl'),
    unauthorizedTtlMs: flags.duration('authorization-webhook-cache-unauthorized-ttl'),
  });
}

function rbac(followed: Followed[]): Authorizer {
  const roles = new InformedRoles();
  followed.push(roles);
  return new RbacAuthorizer(roles);
}

function node(followed: Followed[]): Authorizer {
  const nodes = new InformedNodes();
  followed.push(nodes);
  return new NodeAuthorizer(nodes.graph);
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
