import type { CertificateFiles } from '@apichain/serving/certificate-files';
import { createCA, issueServing, type CertificatePair } from '@apichain/serving/certificates';
import type { FollowedFiles } from '@apichain/serving';
import type { ListenerOptions, ServingCertificates } from '@apichain/serving';
import { FlagError } from './flag.ts';
import { handshakeOf } from './handshake.ts';
import { readPath } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';
import { goQuote } from '@apichain/go-text';

/** One value of `--tls-sni-cert-key`: the files, and their host names. */
interface NamedCertKey extends CertificateFiles {
  /** Empty = those in the certificate. */
  readonly names: readonly string[];
}

/** `cert.pem,key.pem` or `cert.pem,key.pem:example.com,*.example.com`. Throws FlagError. */
function parseNamedCertKey(text: string): NamedCertKey {
  const refuse = (why: string) =>
    new FlagError(`invalid argument ${goQuote(text)} for "--tls-sni-cert-key" flag: ${why}`);
  const colon = text.indexOf(':');
  const files = (colon < 0 ? text : text.slice(0, colon)).split(',').map((file) => file.trim());
  const names = colon < 0 ? undefined : text.slice(colon + 1).trim();
  if (names === '') throw refuse('empty names list is not allowed');
  const [certFile = '', keyFile = ''] = files;
  if (files.length !== 2) throw refuse('expected comma separated certificate and key file paths');
  return { certFile, keyFile, names: names?.split(',').map((name) => name.trim()) ?? [] };
}

/** Authorities of client certificates that change while the server runs, and that are not in files. */
export interface FollowedAuthorities {
  /** PEM bundles. */
  readonly current: () => readonly string[];
  /** Registers the function to call after a change. */
  readonly onChange: (changed: () => void) => void;
}

/**
 * How a server listens. Its certificates are reloaded when their files change. `others` = authorities of client certificates in addition to those
 * of the flags. Throws FlagError.
 */
export async function servingOf(
  flags: ParsedFlags,
  files: FollowedFiles,
  others?: FollowedAuthorities,
): Promise<ListenerOptions> {
  const port = flags.number('secure-port');
  if (port < 0 || port > 65535) {
    throw new FlagError(`--secure-port ${port} must be between 0 and 65535, inclusive; 0 picks a free port`);
  }
  const bindAddress = flags.string('bind-address');
  const streams = flags.number('http2-max-streams-per-connection');
  const linkSocket = flags.has('front-proxy-socket') ? flags.string('front-proxy-socket') : '';
  let changed: (certificates: ServingCertificates) => void = () => undefined;
  let inFiles = await certificatesOf(flags, files, bindAddress, (current) => {
    changed(withOthers(current));
    inFiles = current;
  });
  const withOthers = (certificates: ServingCertificates): ServingCertificates =>
    others === undefined
      ? certificates
      : { ...certificates, clientCAs: [...certificates.clientCAs, ...others.current()] };
  others?.onChange(() => changed(withOthers(inFiles)));
  return {
    bindAddress,
    port,
    ...withOthers(inFiles),
    maxConcurrentStreams: streams > 0 ? streams : 100,
    ...(linkSocket === '' ? {} : { linkSocket }),
    disableHttp2: flags.bool('disable-http2-serving'),
    handshake: handshakeOf(flags),
    onChange: (reload) => (changed = reload),
  };
}

async function certificatesOf(
  flags: ParsedFlags,
  files: FollowedFiles,
  bindAddress: string,
  apply: (certificates: ServingCertificates) => void,
): Promise<ServingCertificates> {
  const [certificate, key] = [path(flags, 'tls-cert-file'), path(flags, 'tls-private-key-file')];
  if ((certificate === undefined) !== (key === undefined)) {
    throw new FlagError('--tls-cert-file and --tls-private-key-file must be given together');
  }
  const own = certificate === undefined || key === undefined ? await selfSigned(bindAddress) : undefined;
  const pair = certificate === undefined || key === undefined ? [] : [certificate, key];
  const sni = sniFlags(flags);
  const clientCAs = [path(flags, 'client-ca-file'), path(flags, 'requestheader-client-ca-file')];
  const named = sni.flatMap(({ certFile, keyFile }) => [certFile, keyFile]);
  const make = (texts: readonly string[]): ServingCertificates => {
    const [certificateText = '', keyText = ''] = texts;
    const rest = texts.slice(pair.length);
    return {
      ...(own ?? { certificate: certificateText, key: keyText }),
      sni: sni.map(({ names }, index) => ({
        certificate: rest[2 * index] ?? '',
        key: rest[2 * index + 1] ?? '',
        names,
      })),
      clientCAs: rest.slice(named.length),
    };
  };
  return files.follow([...pair, ...named, ...clientCAs.filter((file) => file !== undefined)], make, apply);
}

/** The path that a flag contains; undefined when it is empty. Throws FlagError when the file cannot be read. */
function path(flags: ParsedFlags, flag: string): string | undefined {
  const file = flags.string(flag);
  if (file === '') return undefined;
  readPath(flag, file);
  return file;
}

function sniFlags(flags: ParsedFlags) {
  const flag = 'tls-sni-cert-key';
  const all = flags.texts(flag).map(parseNamedCertKey);
  for (const { certFile, keyFile } of all) for (const file of [certFile, keyFile]) readPath(flag, file);
  return all;
}

async function selfSigned(bindAddress: string): Promise<CertificatePair> {
  const ca = await createCA('apichain self-signed');
  const hosts = ['localhost', '127.0.0.1', '::1', 'kubernetes.default.svc', 'kubernetes.default', 'kubernetes'];
  const serving = await issueServing(ca, 'localhost', [...new Set([...hosts, bindAddress])]);
  return { certificate: `${serving.certificate}${ca.certificate}`, key: serving.key };
}
