import { RequestHeaderAuthenticator, type ChainProxies } from '@apichain/authn';
import type { FollowedFiles } from '@apichain/serving';
import { FlagError } from './flag.ts';
import { certificatesOf, followFlagFile, readFlagFile } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';

const caFlag = 'requestheader-client-ca-file';
const listFlags = [
  'requestheader-username-headers',
  'requestheader-uid-headers',
  'requestheader-group-headers',
  'requestheader-extra-headers-prefix',
];

/**
 * The authenticator of front proxies, which send users in headers. Changes of their authorities are applied. Undefined = no front proxies are
 * configured. Throws FlagError. Source: pkg/kubeapiserver/options/authentication.go of kubernetes 1.36.
 */
export function requestHeaderOf(
  flags: ParsedFlags,
  files: FollowedFiles,
  chainProxies: ChainProxies,
): RequestHeaderAuthenticator | undefined {
  checkRequestHeaders(flags);
  checkAuthorities(flags);
  const authenticator = new RequestHeaderAuthenticator({
    clientCAs: [],
    allowedNames: flags.strings('requestheader-allowed-names'),
    usernameHeaders: flags.strings('requestheader-username-headers'),
    uidHeaders: uidHeadersOf(flags),
    groupHeaders: flags.strings('requestheader-group-headers'),
    extraHeaderPrefixes: flags.strings('requestheader-extra-headers-prefix'),
    chainProxies,
  });
  const trust = authenticator.trust.bind(authenticator);
  const roots = followFlagFile(files, flags, caFlag, (pem) => certificatesOf(caFlag, pem), trust);
  if (roots !== undefined) trust(roots);
  else if (!hasLinkSocket(flags)) return undefined;
  return authenticator;
}

/**
 * The headers in which front proxies send uids. As in kube-apiserver there are none where only the other headers are configured: such a front
 * proxy may forward a header of its client that it does not know.
 */
export const uidHeadersOf = (flags: ParsedFlags): readonly string[] =>
  flags.isSet('requestheader-username-headers') && !flags.isSet('requestheader-uid-headers')
    ? []
    : flags.strings('requestheader-uid-headers');

/** Which front proxies count as the previous server: none for the first server; those on the socket, if there is one; otherwise all. */
export function chainProxiesOf(flags: ParsedFlags, isFirst: boolean): ChainProxies {
  if (isFirst) return 'none';
  return hasLinkSocket(flags) ? 'socket' : 'all';
}

/** Extension API servers do not have the flag. */
const hasLinkSocket = (flags: ParsedFlags): boolean =>
  flags.has('front-proxy-socket') && flags.string('front-proxy-socket') !== '';

/** Throws FlagError, with the text of kube-apiserver, for header names that cannot be used. */
export function checkRequestHeaders(flags: ParsedFlags): void {
  for (const flag of listFlags)
    if (flags.strings(flag).some((name) => name.trim() === '')) throw new FlagError(`empty value in "${flag}"`);
  const uid = flags.strings('requestheader-uid-headers');
  if (uid.length > 0 && !uid.some((name) => name.toLowerCase() === 'x-remote-uid'))
    throw new FlagError(
      '--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work',
    );
}

/** Otherwise any client with a certificate could impersonate any user by sending the headers. */
function checkAuthorities(flags: ParsedFlags): void {
  if (flags.strings('requestheader-allowed-names').length > 0) return;
  const [clients, proxies] = ['client-ca-file', caFlag].map((flag) => {
    const pem = readFlagFile(flags, flag);
    return pem === undefined ? [] : certificatesOf(flag, pem);
  });
  const known = new Set(clients?.map(({ fingerprint256 }) => fingerprint256));
  if (proxies?.some(({ fingerprint256 }) => known.has(fingerprint256)) === true)
    throw new FlagError(
      '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
    );
}
