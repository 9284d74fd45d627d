import { statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { EtcdCredentials } from '@apichain/etcd-client';
import { FlagError } from './flag.ts';
import { readFlagFile } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';
import type { GroupResource } from '@apichain/meta';

const members = [
  ['ca', 'etcd-cafile'],
  ['certificate', 'etcd-certfile'],
  ['key', 'etcd-keyfile'],
] as const;

/**
 * The contents of `--etcd-cafile`, `--etcd-certfile` and `--etcd-keyfile`. For a new connection they are read again if a file has changed. While
 * they cannot be read, the last valid contents are used. Empty without the flags. Throws FlagError when a file cannot be read at the start.
 */
export function etcdCredentials(flags: ParsedFlags): { credentials?: () => EtcdCredentials } {
  const paths = members.map(([, flag]) => flags.string(flag)).filter((path) => path !== '');
  if (paths.length === 0) return {};
  const [certificate, key] = [flags.string('etcd-certfile'), flags.string('etcd-keyfile')];
  if ((certificate === '') !== (key === ''))
    throw new FlagError(`KeyFile and CertFile must both be present[key: ${key}, cert: ${certificate}]`);
  let known = readAll(flags);
  let state = stateOf(paths);
  return {
    credentials: () => {
      try {
        const now = stateOf(paths);
        if (now === state) return known;
        const changed = readAll(flags);
        const { certificate: cert, ...rest } = changed;
        createSecureContext({ ...rest, cert });
        state = now;
        known = changed;
        return known;
      } catch {
        // A file is missing, or the certificate does not match the key yet. etcd may still accept the previous credentials.
        return known;
      }
    },
  };
}

const readAll = (flags: ParsedFlags): EtcdCredentials =>
  Object.fromEntries(
    members.flatMap(([member, flag]) => {
      const text = readFlagFile(flags, flag);
      return text === undefined ? [] : [[member, text]];
    }),
  );

const stateOf = (paths: readonly string[]): string =>
  paths
    .map((path) => {
      const { mtimeMs, size, ino } = statSync(path);
      return `${ino}:${size}:${mtimeMs}`;
    })
    .join();

/** A resource that is stored in a separate etcd; `*` means every resource of the group without a more specific override. */
export interface EtcdOverride extends GroupResource {
  readonly servers: readonly string[];
}

const flag = '--etcd-servers-overrides';
const invalid = `${flag} invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated`;

/**
 * Parses `--etcd-servers-overrides`, e.g. `/events#http://a:2379;http://b:2379`. Throws FlagError for another format. Source:
 * staging/src/k8s.io/apiserver/pkg/server/options/etcd.go of kubernetes 1.36.
 */
export function etcdOverrides(flags: ParsedFlags): readonly EtcdOverride[] {
  return flags.strings('etcd-servers-overrides').map((text) => {
    const [place = '', list = '', ...rest] = text.split('#');
    const [group = '', resource, ...deeper] = place.split('/');
    const servers = list.split(';');
    if (resource === undefined || rest.length > 0 || deeper.length > 0 || servers.includes(''))
      throw new FlagError(invalid);
    return { group, resource, servers };
  });
}
