import {
  AccessReviewAuthorizer,
  alwaysAllow,
  alwaysDeny,
  AlwaysAllowPathsAuthorizer,
  ConfirmedAuthorizer,
  InformedRoles,
  publicInfoPaths,
  RbacAuthorizer,
  UnionAuthorizer,
  type Authorizer,
} from '@apichain/authz';
import { RestClient } from '@apichain/client';
import type { HookContext, PostStartHook } from '../health/post-start-hooks.ts';
import type { Logger } from '../logging.ts';
import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

/** What `--authorization-mode` makes of a server. */
export interface AuthorizationParts {
  readonly authorizer: Authorizer;
  readonly hooks: readonly (readonly [string, PostStartHook])[];
}

/** Where a server finds Roles and RoleBindings: `own` = it serves them, `delegate` = a later server of the chain does. */
export type RoleLocation = 'own' | 'delegate';

const unbuiltModes: ReadonlySet<string> = new Set(['Node', 'ABAC', 'Webhook']);

/**
 * The authorizers in the order of the flag; system:masters is asked first by the server itself. Throws FlagError for an unknown mode.
 * A server that has no way to the roles (`roles` undefined) lets nobody but system:masters in when it is reached directly.
 */
export function authorizationOf(
  flags: ParsedFlags,
  roles: RoleLocation | undefined,
  logger: Logger,
): AuthorizationParts {
  const authorizers: Authorizer[] = [];
  const hooks: (readonly [string, PostStartHook])[] = [];
  const modes = flags.strings('authorization-mode');
  const followsRoles = modes.includes('RBAC') && roles !== undefined;
  if (!followsRoles && !modes.includes('AlwaysDeny')) authorizers.push(new AlwaysAllowPathsAuthorizer(publicInfoPaths));
  for (const mode of modes) {
    if (mode === 'AlwaysAllow') authorizers.push(alwaysAllow);
    else if (mode === 'AlwaysDeny') authorizers.push(alwaysDeny);
    else if (mode === 'RBAC' && roles !== undefined) {
      const { authorizer, hook } = rbac(roles);
      authorizers.push(authorizer);
      hooks.push(['rbac-informers', hook]);
    } else if (mode !== 'RBAC') {
      if (!unbuiltModes.has(mode)) {
        throw new FlagError(`--authorization-mode: authorization mode ${mode} not recognized`);
      }
      logger.warn({ mode }, '--authorization-mode: this mode is accepted but has no effect');
    }
  }
  return { authorizer: new UnionAuthorizer(authorizers), hooks };
}

function rbac(location: RoleLocation): { authorizer: Authorizer; hook: PostStartHook } {
  const roles = new InformedRoles();
  const copy = new RbacAuthorizer(roles);
  const owner = new AccessReviewAuthorizer();
  const hook = async ({ loopback, signal, logger }: HookContext): Promise<void> => {
    const client = new RestClient(loopback.connect('kube-apiserver/rbac'));
    signal.addEventListener('abort', () => void client.close(), { once: true });
    if (location === 'delegate') owner.start(client);
    const synced = roles.start(client, signal, (error) => logger.debug({ err: error }, 'roles: will try again'));
    // The servers after this one may still be starting: they answer for themselves until the copy is there.
    if (location === 'own') await synced;
  };
  return { authorizer: location === 'own' ? copy : new ConfirmedAuthorizer(copy, owner), hook };
}
