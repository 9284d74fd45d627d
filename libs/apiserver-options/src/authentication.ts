import {
  AnonymousAuthenticator,
  BearerTokenAuthenticator,
  BootstrapTokenAuthenticator,
  CachedTokenAuthenticator,
  ClientCertificateAuthenticator,
  ClientTokenObjects,
  LegacyTokenAuthenticator,
  parsePublicKeys,
  parseTokenFile,
  ServiceAccountTokenAuthenticator,
  ServiceAccountTokenCounts,
  StaticTokenAuthenticator,
  StoredTokenObjects,
  UnionAuthenticator,
  UnionTokenAuthenticator,
  WebhookTokenAuthenticator,
  type AnonymousConfiguration,
  type Authenticator,
  type TokenAuthenticator,
  type TokenSecrets,
  type VerificationKey,
} from '@apichain/authn';
import { RestClient, type ReviewWebhook } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import type { ResourceStores, Storage } from '@apichain/storage';
import type { FollowedFiles } from '@apichain/serving';
import type { HookContext, PostStartHook } from '@apichain/observability';
import type { Logger } from '@apichain/request';
import { scopeOf } from '@apichain/request';
import { FlagError } from './flag.ts';
import { certificatesOf, followFlagFile, readFlagFile, readFlagFiles } from './flag-files.ts';
import { configuredAuthentication } from './authentication-config.ts';
import type { ParsedFlags } from './parse-flags.ts';
import { reviewVersionOf, reviewWebhookOf } from './review-webhook.ts';

/** The source of service accounts: `chain` = this server or a later one of the chain serves them. */
type AccountLocation = 'chain' | ResourceStores<Storage>;

/** The authentication that the flags configure. */
export interface AuthenticationParts {
  readonly authenticator: Authenticator;
  /** The part that authenticates bearer tokens, for TokenReviews. */
  readonly tokens: TokenAuthenticator;
  readonly hooks: readonly (readonly [string, PostStartHook])[];
  /** The uses of tokens of service accounts, for the metrics; undefined = there are no keys to verify such tokens. */
  readonly tokenCounts?: ServiceAccountTokenCounts;
}

/**
 * Configures authentication: client certificates, bearer tokens, and anonymous requests last. Throws FlagError. `accounts` = the source of the
 * service accounts of tokens. `workers` = how many processes share the limits of the caches of tokens.
 */
export function authenticationOf(
  flags: ParsedFlags,
  files: FollowedFiles,
  accounts: AccountLocation,
  logger: Logger,
  workers = 1,
): AuthenticationParts {
  const authenticators: Authenticator[] = clientCertificates(flags, files);
  const members: TokenAuthenticator[] = [];
  const hooks: (readonly [string, PostStartHook])[] = [];
  const table = readFlagFile(flags, 'token-auth-file');
  if (table !== undefined) members.push(new StaticTokenAuthenticator(tokensOf(table)));
  const keys = serviceAccountKeys(flags);
  let tokenCounts: ServiceAccountTokenCounts | undefined;
  if (keys.length > 0) {
    const { tokens, hook, counts } = serviceAccountTokens(flags, keys, accounts, logger, workers);
    tokenCounts = counts;
    members.push(tokens);
    hooks.push(['service-account-lookups', hook]);
  }
  if (flags.bool('enable-bootstrap-token-auth')) {
    const { objects, hook } = lookupsAt(accounts);
    members.push(new CachedTokenAuthenticator(new BootstrapTokenAuthenticator(objects), { workers }));
    hooks.push(['bootstrap-token-lookups', hook]);
  }
  const configured = configuredAuthentication(flags, files, { apiAudiences: apiAudiencesOf(flags), workers });
  if (configured.tokens !== undefined) members.push(configured.tokens);
  if (configured.hook !== undefined) hooks.push(['oidc-discovery', configured.hook]);
  const webhook = reviewWebhookOf(flags, 'authentication-token-webhook-config-file');
  if (webhook !== undefined) members.push(webhookTokens(flags, webhook, workers));
  const tokens = new UnionTokenAuthenticator(members);
  authenticators.push(new BearerTokenAuthenticator(tokens));
  const authenticator = new UnionAuthenticator(authenticators, anonymousOf(flags, configured.anonymous, logger));
  return { authenticator, tokens, hooks, tokenCounts };
}

/** Undefined when anonymous requests are not allowed. The configuration file takes precedence over the flag. */
function anonymousOf(
  flags: ParsedFlags,
  configured: AnonymousConfiguration | undefined,
  logger: Logger,
): Authenticator | undefined {
  if (configured !== undefined) {
    if (!configured.enabled) return undefined;
    const paths = configured.conditions.map(({ path }) => path);
    return new AnonymousAuthenticator(paths.length === 0 ? undefined : paths, (request) => scopeOf(request).path);
  }
  if (!flags.bool('anonymous-auth')) return undefined;
  if (!flags.strings('authorization-mode').includes('AlwaysAllow')) return new AnonymousAuthenticator();
  logger.warn('AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false.');
  return undefined;
}

/** Empty without `--client-ca-file`. Changes of the file are applied. */
function clientCertificates(flags: ParsedFlags, files: FollowedFiles): Authenticator[] {
  const flag = 'client-ca-file';
  const authenticator = new ClientCertificateAuthenticator([]);
  const trust = authenticator.trust.bind(authenticator);
  const roots = followFlagFile(files, flags, flag, (pem) => certificatesOf(flag, pem), trust);
  if (roots === undefined) return [];
  trust(roots);
  return [authenticator];
}

/** `--api-audiences`: the audiences that tokens must be valid for; the issuer when the flag is not given. */
export function apiAudiencesOf(flags: ParsedFlags): readonly string[] {
  const audiences = flags.strings('api-audiences');
  return audiences.length > 0 ? audiences : flags.strings('service-account-issuer').slice(0, 1);
}

/** The public keys of `--service-account-key-file`. Throws FlagError. */
export function serviceAccountKeys(flags: ParsedFlags): VerificationKey[] {
  const flag = 'service-account-key-file';
  return readFlagFiles(flags, flag).flatMap((pem) => {
    try {
      return parsePublicKeys(pem);
    } catch (error) {
      throw new FlagError(`--${flag}: ${errorMessage(error)}`);
    }
  });
}

function serviceAccountTokens(
  flags: ParsedFlags,
  keys: readonly VerificationKey[],
  accounts: AccountLocation,
  logger: Logger,
  workers: number,
) {
  const onLabelError = (error: unknown): void =>
    logger.warn({ err: error }, 'cannot record the last use of a service account token on its Secret');
  const { objects, hook } = lookupsAt(accounts);
  const counts = new ServiceAccountTokenCounts();
  const common = { keys, objects, apiAudiences: apiAudiencesOf(flags), counts };
  const tokens = new UnionTokenAuthenticator([
    new LegacyTokenAuthenticator({ ...common, lookup: flags.bool('service-account-lookup'), onLabelError }),
    new ServiceAccountTokenAuthenticator({ ...common, issuers: flags.strings('service-account-issuer') }),
  ]);
  return { tokens: new CachedTokenAuthenticator(tokens, { workers }), hook, counts };
}

function lookupsAt(accounts: AccountLocation): { readonly objects: TokenSecrets; readonly hook: PostStartHook } {
  if (accounts !== 'chain') return { objects: new StoredTokenObjects(accounts), hook: () => undefined };
  const objects = new ClientTokenObjects();
  const hook = ({ loopback, signal }: HookContext): void => {
    const client = new RestClient(loopback.connect('kube-apiserver/tokens'));
    signal.addEventListener('abort', () => void client.close(), { once: true });
    objects.start(client);
  };
  return { objects, hook };
}

function webhookTokens(flags: ParsedFlags, webhook: ReviewWebhook, workers: number): TokenAuthenticator {
  const version = reviewVersionOf(flags, 'authentication-token-webhook-version');
  const tokens = new WebhookTokenAuthenticator({ webhook, version, apiAudiences: apiAudiencesOf(flags) });
  const lifetimeMs = flags.duration('authentication-token-webhook-cache-ttl');
  return new CachedTokenAuthenticator(tokens, { lifetimeMs, workers });
}

function tokensOf(text: string) {
  try {
    return parseTokenFile(text);
  } catch (error) {
    throw new FlagError(`--token-auth-file: ${errorMessage(error)}`);
  }
}
