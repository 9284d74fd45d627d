import {
  certificatesOf,
  checkRequestHeaders,
  FlagError,
  followFlagFile,
  requestHeaderOf,
  type AuthenticationParts,
  type FollowedAuthorities,
  type ParsedFlags,
} from '@apichain/apiserver-options';
import {
  AnonymousAuthenticator,
  BearerTokenAuthenticator,
  CachedTokenAuthenticator,
  ClientCertificateAuthenticator,
  RequestHeaderAuthenticator,
  UnionAuthenticator,
  WebhookTokenAuthenticator,
} from '@apichain/authn';
import { RestClient, type Transport } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import { tokenCacheMetrics } from '@apichain/observability';
import type { Logger } from '@apichain/request';
import type { FollowedFiles } from '@apichain/serving';
import { coreReviews, type ReviewObservers } from './reviews.ts';
import { PublishedAuthentication, type PublishedUses } from './published-authentication.ts';

/** The delegated authentication of a server. */
export interface DelegatedAuthentication {
  readonly authentication: AuthenticationParts;
  readonly requestHeader: RequestHeaderAuthenticator;
  /** Published authorities of client certificates. */
  readonly clientCAs: FollowedAuthorities;
}

/**
 * Authentication by the core API: front proxies, client certificates, tokens by TokenReviews, and anonymous requests last. Who is a front proxy, and
 * the authorities of client certificates, are what the core API publishes in a ConfigMap, unless flags set them. Changes of both are applied.
 * Throws FlagError. Source: DelegatingAuthenticationOptions of k8s.io/apiserver/pkg/server/options.
 */
export async function delegatedAuthentication(
  flags: ParsedFlags,
  files: FollowedFiles,
  transport: Transport,
  logger: Logger,
  observers: ReviewObservers,
): Promise<DelegatedAuthentication> {
  const publishedCAs = new PublishedCAs();
  const certificates = new ClientCertificateAuthenticator([]);
  const uses: { -readonly [Use in keyof PublishedUses]: PublishedUses[Use] } = {};
  if (!trustClientCAs(flags, files, certificates))
    uses.clientAuthorities = ({ pem, certificates: roots }) => {
      certificates.trust(roots);
      publishedCAs.set('client-ca-file', pem);
    };
  const { requestHeader, isFixed } = frontProxiesOf(flags, files);
  if (!isFixed)
    uses.frontProxies = ({ pem, settings }) => {
      requestHeader.configure(settings);
      publishedCAs.set('requestheader-client-ca-file', pem);
    };
  const published = new PublishedAuthentication(new RestClient(transport), uses, logger, observers.errors);
  const lookup = await lookUp(flags, published, logger);
  const webhook = coreReviews(transport, 'TokenReviews', observers);
  const { metrics } = observers;
  const tokens = new CachedTokenAuthenticator(
    new WebhookTokenAuthenticator({ webhook, version: 'v1', apiAudiences: [] }),
    {
      lifetimeMs: flags.duration('authentication-token-webhook-cache-ttl'),
      observer: metrics === undefined ? undefined : tokenCacheMetrics(metrics),
    },
  );
  const authenticator = new UnionAuthenticator(
    [certificates, new BearerTokenAuthenticator(tokens)],
    new AnonymousAuthenticator(),
  );
  return {
    authentication: {
      authenticator,
      tokens,
      hooks: lookup === undefined ? [] : [['extension-apiserver-authentication', (context) => lookup.follow(context)]],
    },
    requestHeader,
    clientCAs: publishedCAs,
  };
}

/** Trusts the authorities of `--client-ca-file`. Returns whether the flag is given. Throws FlagError. */
function trustClientCAs(
  flags: ParsedFlags,
  files: FollowedFiles,
  authenticator: ClientCertificateAuthenticator,
): boolean {
  const flag = 'client-ca-file';
  const trust = authenticator.trust.bind(authenticator);
  const roots = followFlagFile(files, flags, flag, (pem) => certificatesOf(flag, pem), trust);
  if (roots !== undefined) trust(roots);
  return roots !== undefined;
}

/** The front proxies of the flags; `isFixed` = the flags set them. Without settings there are none. Throws FlagError. */
function frontProxiesOf(
  flags: ParsedFlags,
  files: FollowedFiles,
): { readonly requestHeader: RequestHeaderAuthenticator; readonly isFixed: boolean } {
  checkRequestHeaders(flags);
  const fixed = requestHeaderOf(flags, files, 'none');
  if (fixed !== undefined) return { requestHeader: fixed, isFixed: true };
  const none = { clientCAs: [], allowedNames: [], usernameHeaders: [], uidHeaders: [], groupHeaders: [] };
  return { requestHeader: new RequestHeaderAuthenticator({ ...none, extraHeaderPrefixes: [] }), isFixed: false };
}

/** Reads the ConfigMap, unless it is not needed or not wanted: undefined. Throws FlagError, unless failures are tolerated. */
async function lookUp(
  flags: ParsedFlags,
  published: PublishedAuthentication,
  logger: Logger,
): Promise<PublishedAuthentication | undefined> {
  if (flags.bool('authentication-skip-lookup')) return undefined;
  const isNeeded = ['client-ca-file', 'requestheader-client-ca-file'].some((flag) => flags.string(flag) === '');
  if (!isNeeded) return undefined;
  try {
    await published.load();
  } catch (error) {
    if (!flags.bool('authentication-tolerate-lookup-failure')) throw new FlagError(errorMessage(error));
    logger.warn(
      `${errorMessage(error)}; continuing because of --authentication-tolerate-lookup-failure: requests of front proxies and with client certificates may count as anonymous`,
    );
  }
  return published;
}

/** The published bundles, which the listener names to clients. */
class PublishedCAs implements FollowedAuthorities {
  readonly #bundles = new Map<string, string>();
  readonly #listeners: (() => void)[] = [];

  readonly current = (): readonly string[] => [...this.#bundles.values()];

  readonly onChange = (changed: () => void): void => {
    this.#listeners.push(changed);
  };

  set(key: string, pem: string): void {
    if (this.#bundles.get(key) === pem) return;
    this.#bundles.set(key, pem);
    for (const changed of this.#listeners) changed();
  }
}
