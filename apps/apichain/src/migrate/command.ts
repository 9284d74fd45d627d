import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory } from '@apichain/embedded-etcd';
import type { CommandArguments } from '../commands/command.ts';
import type { EtcdApi, TlsFiles } from '../etcd-api.ts';
import { StartupError } from '@apichain/chain/setup';
import { type Copied, copyIntoDirectory, copyIntoEtcd } from './copy.ts';
import { open, openEmbedded, type Place, placeOf } from './side.ts';
import { verify } from './verify.ts';

/** `apichain migrate`. Throws StartupError when the copy is not complete. A new target directory is not created in that case. */
export async function migrateCommand(args: CommandArguments): Promise<void> {
  const [from, to] = [args.string('from'), args.string('to')];
  if (from === undefined || to === undefined)
    throw new StartupError('migrate needs --from and --to (see apichain migrate --help)');
  const tls = { ca: args.string('ca-file'), cert: args.string('cert-file'), key: args.string('key-file') };
  const source = placeOf('from', from);
  const target = placeOf('to', to);
  if (target.kind === 'snapshot') throw new StartupError(`--to: ${target.file} is a file`);
  if (source.kind === 'new') throw new StartupError(`--from: ${source.directory} holds no store`);
  if (isSame(source, target)) throw new StartupError('--from and --to are the same store');
  const options = { prefix: args.string('prefix') ?? '', overwrite: args.boolean('overwrite'), tls };
  const side = await open(source, tls);
  try {
    const { revision } = await side.api.status();
    const into =
      target.kind === 'new'
        ? intoDirectory(side.api, target.directory, revision, options)
        : intoEtcd(side.api, target, revision, options);
    const { keys, leases } = await into;
    console.log(
      `copied ${keys} keys and ${leases} leases of revision ${revision} from ${side.api.name}, and compared both`,
    );
  } finally {
    await side.close();
  }
}

interface MigrateOptions {
  readonly prefix: string;
  readonly overwrite: boolean;
  readonly tls: TlsFiles;
}

const isSame = (a: Place, b: Place) =>
  'url' in a ? 'url' in b && a.url === b.url : 'directory' in a && 'directory' in b && a.directory === b.directory;

/** Copies into a temporary directory and renames it when it is complete. An existing target directory is therefore always complete. */
async function intoDirectory(
  source: EtcdApi,
  directory: string,
  revision: number,
  { prefix }: MigrateOptions,
): Promise<Copied> {
  const partial = `${directory}.migrating`;
  rmSync(partial, { recursive: true, force: true });
  try {
    const copied = await copyIntoDirectory(source, { prefix, revision, directory: partial });
    const copy = await openEmbedded(partial);
    try {
      await verify(source, copy.api, { prefix, revision, sameRevisions: true, mayHoldMore: false });
    } finally {
      await copy.close();
    }
    await assertStill(source, revision);
    if (existsSync(directory)) rmSync(directory, { recursive: true });
    renameSync(partial, directory);
    await syncDirectory(dirname(directory));
    return copied;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

async function intoEtcd(
  source: EtcdApi,
  place: Exclude<Place, { kind: 'new' }>,
  revision: number,
  { prefix, overwrite, tls }: MigrateOptions,
): Promise<Copied> {
  const target = await open(place, tls);
  try {
    const present = await target.api.count(prefix);
    if (present > 0 && !overwrite)
      throw new StartupError(
        `--to: ${target.api.name} is not empty (${present} keys): choose another, or write over those keys with --overwrite`,
      );
    const copied = await copyIntoEtcd(source, target.api, { prefix, revision });
    await verify(source, target.api, { prefix, revision, sameRevisions: false, mayHoldMore: overwrite });
    await assertStill(source, revision);
    return copied;
  } finally {
    await target.close();
  }
}

/** Throws StartupError when the source has changed during the copy, because the copy lacks those changes. */
async function assertStill(source: EtcdApi, revision: number): Promise<void> {
  const { revision: present } = await source.status();
  if (present !== revision)
    throw new StartupError(
      `${source.name} has changed while it was copied (revision ${revision}, now ${present}): stop what writes to it and do it again`,
    );
}
