import { statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { EtcdCredentials } from '@apichain/etcd-client';
import { FlagError } from './flag.ts';
import { readFlagFile } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';

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
