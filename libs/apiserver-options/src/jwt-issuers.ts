import {
  CachedTokenAuthenticator,
  OidcProvider,
  OidcTokenAuthenticator,
  UnionTokenAuthenticator,
  type JwtAuthenticator,
  type TokenAuthenticator,
} from '@apichain/authn';
import type { Logger } from '@apichain/request';
import { ProviderDocuments } from './provider-documents.ts';

export interface IssuersOptions {
  readonly algorithms: readonly string[];
  readonly apiAudiences: readonly string[];
  /** How many processes share the limits of the cache of tokens. */
  readonly workers: number;
}

interface Issuer {
  readonly url: string;
  readonly provider: OidcProvider;
  readonly documents: ProviderDocuments;
  readonly tokens: TokenAuthenticator;
}

/** The issuers of JSON web tokens of one configuration. */
export class JwtIssuers {
  readonly tokens: TokenAuthenticator;
  readonly #issuers: readonly Issuer[];
  readonly #stopped = new AbortController();

  /** Throws Error when an expression does not compile. */
  constructor(configuration: readonly JwtAuthenticator[], options: IssuersOptions) {
    this.#issuers = configuration.map((each) => issuerOf(each, options));
    this.tokens = new CachedTokenAuthenticator(new UnionTokenAuthenticator(this.#issuers.map(({ tokens }) => tokens)), {
      workers: options.workers,
    });
  }

  /** Resolves when the discovery of all issuers has succeeded, or the signal aborts. Until then their tokens are refused. */
  async discover(signal: AbortSignal, logger: Logger): Promise<void> {
    const either = AbortSignal.any([signal, this.#stopped.signal]);
    either.addEventListener('abort', () => this.close(), { once: true });
    await Promise.all(
      this.#issuers.map(({ provider, url }) =>
        provider.discover(either, (error) =>
          logger.warn({ err: error, issuer: url }, 'OpenID discovery failed, will be tried again'),
        ),
      ),
    );
  }

  /** Why tokens of an issuer are refused; undefined when all discoveries have succeeded. */
  get problem(): string | undefined {
    const problems = this.#issuers.flatMap(({ provider }) => provider.problem ?? []);
    return problems.length === 0 ? undefined : problems.join(', ');
  }

  close(): void {
    this.#stopped.abort();
    for (const { documents } of this.#issuers) documents.close();
  }
}

function issuerOf(configuration: JwtAuthenticator, { algorithms, apiAudiences }: IssuersOptions): Issuer {
  const { url, discoveryURL = '', certificateAuthority } = configuration.issuer;
  const documents = new ProviderDocuments(certificateAuthority === '' ? undefined : certificateAuthority);
  const provider = new OidcProvider({
    issuer: url,
    ...(discoveryURL === '' ? {} : { discoveryUrl: discoveryURL }),
    fetch: documents.fetchJson,
  });
  const tokens = new OidcTokenAuthenticator({ configuration, algorithms, provider, sources: documents, apiAudiences });
  return { url, provider, documents, tokens };
}
