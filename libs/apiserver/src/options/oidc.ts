import { OidcProvider, OidcTokenAuthenticator, oidcAlgorithms, type FetchJson } from '@apichain/authn';
import { httpTransport, type Transport } from '@apichain/client';
import { goQuote, parseJson } from '@apichain/meta';
import type { HookContext, PostStartHook } from '../health/post-start-hooks.ts';
import { FlagError } from './flag.ts';
import { readFlagFile } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';

const together = 'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set';
const texts = [
  'oidc-ca-file',
  'oidc-client-id',
  'oidc-issuer-url',
  'oidc-username-prefix',
  'oidc-groups-claim',
  'oidc-groups-prefix',
];
const maxDocumentBytes = 1024 * 1024;
const requestTimeoutMs = 30_000;

/** What the flags that begin with `--oidc-` make; undefined when there are none. Throws FlagError. */
export function oidcTokensOf(
  flags: ParsedFlags,
  apiAudiences: readonly string[],
): { readonly tokens: OidcTokenAuthenticator; readonly hook: PostStartHook } | undefined {
  const issuer = flags.string('oidc-issuer-url');
  const clientId = flags.string('oidc-client-id');
  const requiredClaims = flags.map('oidc-required-claim');
  const isAsked = texts.some((flag) => flags.string(flag) !== '') || requiredClaims.size > 0;
  if (!isAsked) return undefined;
  if (issuer === '' || clientId === '') throw new FlagError(together);
  if (!URL.canParse(issuer) || new URL(issuer).protocol !== 'https:')
    throw new FlagError(`--oidc-issuer-url: ${goQuote(issuer)}: URL scheme must be https`);
  const algorithms = flags.strings('oidc-signing-algs');
  const unknown = algorithms.find((algorithm) => !oidcAlgorithms.includes(algorithm));
  if (unknown !== undefined)
    throw new FlagError(`--oidc-signing-algs: oidc: unsupported signing alg: ${goQuote(unknown)}`);
  const documents = new Documents(readFlagFile(flags, 'oidc-ca-file'));
  const provider = new OidcProvider(issuer, documents.fetch);
  const usernameClaim = flags.string('oidc-username-claim');
  const tokens = new OidcTokenAuthenticator({
    issuer,
    clientId,
    usernameClaim,
    usernamePrefix: prefixOf(flags.string('oidc-username-prefix'), usernameClaim, issuer),
    groupsClaim: flags.string('oidc-groups-claim'),
    groupsPrefix: flags.string('oidc-groups-prefix'),
    requiredClaims,
    algorithms,
    provider,
    apiAudiences,
  });
  const hook = ({ signal, logger }: HookContext): void => {
    signal.addEventListener('abort', () => documents.close(), { once: true });
    // Nobody waits for the provider: until it is found its tokens are refused.
    void provider.discover(signal, (error) => logger.warn({ err: error, issuer }, 'oidc: will try again'));
  };
  return { tokens, hook };
}

/** Names of other claims than `email` must not be taken for those of other users. */
function prefixOf(prefix: string, usernameClaim: string, issuer: string): string {
  if (prefix === '-') return '';
  return prefix === '' && usernameClaim !== 'email' ? `${issuer}#` : prefix;
}

/** Fetches the JSON documents of a provider, which may be on several hosts. */
class Documents {
  readonly #ca: string | undefined;
  readonly #transports = new Map<string, Transport>();

  constructor(ca: string | undefined) {
    this.#ca = ca;
  }

  readonly fetch: FetchJson = async (url) => {
    const { origin, pathname, search } = new URL(url);
    const signal = AbortSignal.timeout(requestTimeoutMs);
    const { status, body } = await this.#transport(origin).send({
      method: 'GET',
      path: `${pathname}${search}`,
      signal,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxDocumentBytes) throw new Error(`${url}: the document is too large`);
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString('utf8');
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return parseJson(text);
  };

  close(): void {
    for (const transport of this.#transports.values()) void transport.close();
  }

  #transport(origin: string): Transport {
    let transport = this.#transports.get(origin);
    if (transport === undefined) {
      transport = httpTransport({ url: origin, connections: 2, ...(this.#ca === undefined ? {} : { ca: this.#ca }) });
      this.#transports.set(origin, transport);
    }
    return transport;
  }
}
