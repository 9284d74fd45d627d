import { FlagError, type AuthorizationParts, type ParsedFlags } from '@apichain/apiserver-options';
import { systemPrivilegedGroup } from '@apichain/authn';
import {
  AlwaysAllowPathsAuthorizer,
  PrivilegedGroupsAuthorizer,
  UnionAuthorizer,
  WebhookAuthorizer,
} from '@apichain/authz';
import type { Transport } from '@apichain/client';
import { coreReviews, type ReviewObservers } from './reviews.ts';

/**
 * Authorization by the core API, with SubjectAccessReviews. Members of system:masters are allowed everything, and the paths of
 * `--authorization-always-allow-paths` are allowed to everybody, without a review. Throws FlagError. Source: DelegatingAuthorizationOptions of
 * k8s.io/apiserver/pkg/server/options.
 */
export function delegatedAuthorization(
  flags: ParsedFlags,
  transport: Transport,
  observers: ReviewObservers,
): AuthorizationParts {
  const authorizer = new UnionAuthorizer([
    new PrivilegedGroupsAuthorizer(systemPrivilegedGroup),
    new AlwaysAllowPathsAuthorizer(alwaysAllowedPaths(flags)),
    new WebhookAuthorizer({
      webhook: coreReviews(transport, 'SubjectAccessReviews', observers),
      version: 'v1',
      authorizedTtlMs: flags.duration('authorization-webhook-cache-authorized-ttl'),
      unauthorizedTtlMs: flags.duration('authorization-webhook-cache-unauthorized-ttl'),
      decisionOnError: 'NoOpinion',
    }),
  ]);
  return { authorizer, hooks: [] };
}

function alwaysAllowedPaths(flags: ParsedFlags): readonly string[] {
  const flag = 'authorization-always-allow-paths';
  const paths = flags.strings(flag).filter((path) => path !== '');
  const wrong = paths.find((path) => path.slice(0, -1).includes('*'));
  if (wrong !== undefined) throw new FlagError(`--${flag}: only trailing * allowed in ${JSON.stringify(wrong)}`);
  return paths.map((path) => (path.startsWith('/') ? path : `/${path}`));
}
