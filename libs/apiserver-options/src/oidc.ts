import { oidcAlgorithms, type JwtAuthenticator } from '@apichain/authn';
import { goQuote } from '@apichain/go-text';
import { FlagError } from './flag.ts';
import { readFlagFile } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';

const together = 'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set';
const names = [
  'oidc-ca-file',
  'oidc-client-id',
  'oidc-groups-claim',
  'oidc-groups-prefix',
  'oidc-issuer-url',
  'oidc-required-claim',
  'oidc-signing-algs',
  'oidc-username-claim',
  'oidc-username-prefix',
];

/** Whether a flag that begins with `--oidc-` was given. */
export const isOidcAsked = (flags: ParsedFlags): boolean => names.some((name) => flags.isSet(name));

/** The issuer that the flags beginning with `--oidc-` configure; undefined when there are none. Throws FlagError. */
export function oidcIssuerOf(flags: ParsedFlags): JwtAuthenticator | undefined {
  if (!isOidcAsked(flags)) return undefined;
  const url = flags.string('oidc-issuer-url');
  const clientId = flags.string('oidc-client-id');
  if (url === '' || clientId === '') throw new FlagError(together);
  const claim = flags.string('oidc-username-claim');
  const groups = flags.string('oidc-groups-claim');
  return {
    issuer: {
      url,
      audiences: [clientId],
      certificateAuthority: readFlagFile(flags, 'oidc-ca-file') ?? '',
      audienceMatchPolicy: '',
      egressSelectorType: '',
    },
    claimMappings: {
      username: { claim, expression: '', prefix: prefixOf(flags.string('oidc-username-prefix'), claim, url) },
      groups: { claim: groups, expression: '', prefix: flags.string('oidc-groups-prefix') },
      uid: { claim: '', expression: '' },
      extra: [],
    },
    claimValidationRules: [...flags.map('oidc-required-claim')].map(([name, requiredValue]) => ({
      claim: name,
      requiredValue,
      expression: '',
      message: '',
    })),
    userValidationRules: [],
  };
}

/** `--oidc-signing-algs`. Throws FlagError for an unknown algorithm. */
export function oidcAlgorithmsOf(flags: ParsedFlags): readonly string[] {
  const algorithms = flags.strings('oidc-signing-algs');
  const unknown = algorithms.find((algorithm) => !oidcAlgorithms.includes(algorithm));
  if (unknown === undefined) return algorithms;
  throw new FlagError(`--oidc-signing-algs: oidc: unsupported signing alg: ${goQuote(unknown)}`);
}

/** User names from claims other than `email` get a prefix by default, so that they do not collide with other users. */
function prefixOf(prefix: string, usernameClaim: string, issuer: string): string {
  if (prefix === '-') return '';
  return prefix === '' && usernameClaim !== 'email' ? `${issuer}#` : prefix;
}
