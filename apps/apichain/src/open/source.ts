import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EncryptedValues, type StoredValue } from '@apichain/backup';
import { BackupError, readBackup, type StoreContents } from '@apichain/embedded-etcd';
import { StartupError } from '@apichain/chain/setup';
import type { CommandArguments } from '../commands/command.ts';
import { EtcdApi } from '../etcd-api.ts';
import { storeOfChain } from '../migrate/side.ts';
import { warn } from '../up/say.ts';

/** What a command line names as a backup: a file or a directory, or a running etcd. */
export type BackupSource =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'url'; readonly urls: string };

/** How the values of a source are reached and read. */
export interface SourceOptions {
  readonly prefix: string;
  readonly etcd: {
    readonly ca?: string | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
  };
  readonly encryptionConfig: string | undefined;
}

/** The directory of a chain stands for the store in it. Throws StartupError for an address that is none of an etcd. */
export function sourceOf(given: string): BackupSource {
  if (/^(https?|unix):\/\//.test(given)) return { kind: 'url', urls: given };
  if (/^[a-z]+:\/\//.test(given))
    throw new StartupError(`"${given}" is no address of an etcd: http://, https:// or unix://`);
  const path = resolve(given);
  return { kind: 'path', path: existsSync(join(path, 'pki')) ? storeOfChain(path) : path };
}

/** The flags that the commands on backups have in common. Throws StartupError when the prefix is none. */
export function sourceOptions(args: CommandArguments): SourceOptions {
  const prefix = args.string('prefix') ?? '';
  if (!/^\/.*[^/]$/.test(prefix)) throw new StartupError(`--prefix: "${prefix}" must begin with / and not end with it`);
  return {
    prefix,
    etcd: { ca: args.string('etcd-cafile'), cert: args.string('etcd-certfile'), key: args.string('etcd-keyfile') },
    encryptionConfig: args.string('encryption-provider-config'),
  };
}

/** Reads a file or a directory. Throws StartupError with one line when it is no backup. */
export async function readFileSource(
  path: string,
): Promise<{ contents: StoreContents; form: string; missing?: string }> {
  try {
    const { form, missing, ...contents } = await readBackup(path);
    return { contents, form, missing };
  } catch (error) {
    if (error instanceof BackupError) throw new StartupError(error.message);
    throw error;
  }
}

/** The values of a running etcd below the prefix, a page at a time, at one revision. Throws StartupError. */
export async function* valuesOf(urls: string, { prefix, etcd }: SourceOptions): AsyncGenerator<StoredValue> {
  const api = new EtcdApi(urls, urls, etcd, { readOnly: true });
  try {
    const { revision } = await api.status();
    yield* api.keys(`${prefix}/`, revision);
  } finally {
    await api.close();
  }
}

/** All values of a running etcd below the prefix, at one revision. Throws StartupError. */
async function readUrl(urls: string, options: SourceOptions): Promise<readonly StoredValue[]> {
  const values: StoredValue[] = [];
  for await (const stored of valuesOf(urls, options)) values.push(stored);
  return values;
}

/** Reads the values of a source, for a comparison or an export. Says on standard error what a backup lacks. Throws StartupError. */
export async function readValues(source: BackupSource, options: SourceOptions): Promise<readonly StoredValue[]> {
  if (source.kind === 'url') return readUrl(source.urls, options);
  const { contents, missing } = await readFileSource(source.path);
  if (missing !== undefined) warn(missing);
  return [...contents.keys.values()];
}

/** The revision of a running etcd. Throws StartupError when it does not respond. */
export async function revisionOf(urls: string, { etcd }: SourceOptions): Promise<number> {
  const api = new EtcdApi(urls, urls, etcd, { readOnly: true });
  try {
    return (await api.status()).revision;
  } finally {
    await api.close();
  }
}

/** Says on standard error how many values are encrypted, if they cannot be decrypted. */
export async function warnOfEncrypted(
  values: Iterable<StoredValue> | AsyncIterable<StoredValue>,
  { prefix, encryptionConfig }: SourceOptions,
): Promise<void> {
  if (encryptionConfig !== undefined) return;
  const encrypted = new EncryptedValues(prefix);
  if (Symbol.iterator in values) for (const value of values) encrypted.add(value);
  else for await (const value of values) encrypted.add(value);
  const { counts } = encrypted;
  if (counts.size === 0) return;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const list = [...counts].map(([resource, count]) => `${resource} (${count})`).join(', ');
  warn(
    `${total} objects are encrypted at rest and only their names can be seen: ${list}; --encryption-provider-config decrypts them`,
  );
}
