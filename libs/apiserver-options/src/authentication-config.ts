import {
  authenticationConfigurationErrors,
  jwtAuthenticatorErrors,
  oidcAlgorithms,
  parseAuthenticationConfiguration,
  ReplaceableTokenAuthenticator,
  type AnonymousConfiguration,
  type AuthenticationConfiguration,
  type TokenAuthenticator,
} from '@apichain/authn';
import { errorMessage, deepEqual, field, type FieldError } from '@apichain/meta';
import type { FollowedFiles } from '@apichain/serving';
import type { HookContext, PostStartHook } from '@apichain/observability';
import { FlagError } from './flag.ts';
import { readNamed } from './flag-files.ts';
import { JwtIssuers, type IssuersOptions } from './jwt-issuers.ts';
import { isOidcAsked, oidcAlgorithmsOf, oidcIssuerOf } from './oidc.ts';
import type { ParsedFlags } from './parse-flags.ts';

const flag = 'authentication-config';
/** New issuers whose discovery takes longer than this are not used. Replaced issuers are closed after this time. */
const takeoverMs = 60_000;

/** The issuers of JSON web tokens, and the configuration of anonymous requests. */
interface ConfiguredAuthentication {
  readonly tokens?: TokenAuthenticator;
  readonly hook?: PostStartHook;
  /** The configuration of anonymous requests in the file. */
  readonly anonymous?: AnonymousConfiguration;
}

type CommonOptions = Pick<IssuersOptions, 'apiAudiences' | 'workers'>;

/** Reads `--authentication-config` or the `--oidc-` flags. Changes of the file are applied. Throws FlagError. */
export function configuredAuthentication(
  flags: ParsedFlags,
  files: FollowedFiles,
  common: CommonOptions,
): ConfiguredAuthentication {
  const path = flags.string(flag);
  if (path !== '') return followConfiguration(path, flags, files, common);
  const issuer = oidcIssuerOf(flags);
  if (issuer === undefined) return {};
  const options = { algorithms: oidcAlgorithmsOf(flags), ...common };
  const issuers = makeIssuers({ jwt: [issuer] }, options, flags.strings('service-account-issuer'));
  return { tokens: issuers.tokens, hook: discoverInBackground(issuers) };
}

function followConfiguration(
  path: string,
  flags: ParsedFlags,
  files: FollowedFiles,
  common: CommonOptions,
): ConfiguredAuthentication {
  if (isOidcAsked(flags)) throw new FlagError('authentication-config file and oidc-* flags are mutually exclusive');
  const disallowed = flags.strings('service-account-issuer');
  const options = { algorithms: [...oidcAlgorithms].sort(), ...common };
  const text = loaded(path, () => readNamed(path));
  const configuration = loaded(path, () => parseAuthenticationConfiguration(text));
  const { anonymous } = configuration;
  if (anonymous !== undefined && flags.isSet('anonymous-auth'))
    throw new FlagError(
      'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
    );
  const first = makeIssuers(configuration, options, disallowed);
  const reloaded = new ReloadedIssuers(first);
  files.follow(
    [path],
    ([content = '']) => {
      if (content === text) return first;
      const next = parseAuthenticationConfiguration(content);
      const errors = authenticationConfigurationErrors(next, disallowed);
      if (!deepEqual(next.anonymous ?? null, anonymous ?? null))
        errors.push(field.forbidden('anonymous', 'changed from initial configuration file'));
      throwErrors(errors, '');
      return new JwtIssuers(next.jwt, options);
    },
    (next) => reloaded.take(next),
  );
  return { tokens: reloaded.tokens, hook: reloaded.hook, anonymous };
}

function loaded<Result>(path: string, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    const name = JSON.stringify(path);
    throw new FlagError(`failed to load authentication configuration from file ${name}: ${errorMessage(error)}`);
  }
}

function throwErrors(errors: readonly FieldError[], context: string): void {
  if (errors.length > 0) throw new FlagError(`${context}${field.aggregateFieldErrors(errors)}`);
}

/** Conflicts with the issuers of service accounts are checked last, one by one, as kube-apiserver does at its start. */
function makeIssuers(
  configuration: AuthenticationConfiguration,
  options: IssuersOptions,
  disallowed: readonly string[],
): JwtIssuers {
  throwErrors(authenticationConfigurationErrors(configuration, []), 'invalid authentication configuration: ');
  for (const each of configuration.jwt) throwErrors(jwtAuthenticatorErrors('', each, disallowed), '');
  return new JwtIssuers(configuration.jwt, options);
}

const discoverInBackground =
  (issuers: JwtIssuers): PostStartHook =>
  ({ signal, logger }: HookContext): void => {
    // The start does not wait for providers. Tokens of a provider are refused until its discovery succeeds.
    void issuers.discover(signal, logger);
  };

/** The current issuers. New ones replace them once the discovery of all of them has succeeded. */
class ReloadedIssuers {
  readonly tokens: ReplaceableTokenAuthenticator;
  #current: JwtIssuers;
  #waiting: JwtIssuers | undefined;
  #context: HookContext | undefined;

  constructor(first: JwtIssuers) {
    this.#current = first;
    this.tokens = new ReplaceableTokenAuthenticator(first.tokens);
  }

  readonly hook: PostStartHook = (context) => {
    this.#context = context;
    return discoverInBackground(this.#current)(context);
  };

  take(next: JwtIssuers): void {
    const { signal, logger } = this.#context ?? {};
    if (signal === undefined || logger === undefined) return;
    this.#waiting?.close();
    this.#waiting = next;
    const tooLate = setTimeout(() => {
      logger.error({ problem: next.problem }, 'changed token issuers are not used: discovery failed');
      next.close();
    }, takeoverMs).unref();
    void next.discover(signal, logger).then(() => {
      clearTimeout(tooLate);
      if (this.#waiting !== next || next.problem !== undefined || signal.aborted) return;
      this.#waiting = undefined;
      this.tokens.replace(next.tokens);
      // Running requests may still use the previous issuers.
      const old = this.#current;
      setTimeout(() => old.close(), takeoverMs).unref();
      this.#current = next;
      logger.info('token issuers were reloaded');
    });
  }
}
