import { BackupObjects } from '@apichain/backup';
import { StartupError } from '@apichain/chain/setup';
import { errorMessage } from '@apichain/meta';
import { loadEncryptionConfig, type EncryptionTransformers } from '@apichain/storage-encryption';
import type { CommandArguments } from '../commands/command.ts';
import { readValues, sourceOf, sourceOptions, warnOfEncrypted, type SourceOptions } from './source.ts';
import { warn } from '../up/say.ts';

/** The flags for reading backups without a server. `close` is called when all of them were read. */
interface BackupsOptions extends SourceOptions {
  readonly encryption: () => Promise<EncryptionTransformers | undefined>;
  close(): void;
}

/** Throws StartupError for flags that cannot be used. */
export function optionsOfBackups(args: CommandArguments): BackupsOptions {
  const options = sourceOptions(args);
  const { encryptionConfig } = options;
  let loaded: EncryptionTransformers | undefined;
  return {
    ...options,
    encryption: async () => {
      if (encryptionConfig === undefined) return undefined;
      try {
        return (loaded ??= await loadEncryptionConfig(encryptionConfig, { reload: false }));
      } catch (error) {
        throw new StartupError(errorMessage(error));
      }
    },
    close: () => loaded?.close(),
  };
}

/** Reads a backup and finds its objects. Throws StartupError with one line when it is none. */
export async function openBackup(given: string, options: BackupsOptions): Promise<BackupObjects> {
  const values = await readValues(sourceOf(given), options);
  await warnOfEncrypted(values, options);
  const encryption = await options.encryption();
  const { prefix } = options;
  const objects = await BackupObjects.of(values, { prefix, encryption });
  warnOfUnserved(given, objects);
  return objects;
}

/** Says on standard error which objects no server of this release serves. They cannot be shown, compared or exported. */
export function warnOfUnserved(given: string, { unserved }: BackupObjects): void {
  if (unserved.length === 0) return;
  const total = unserved.reduce((sum, { count }) => sum + count, 0);
  const list = unserved.map(({ kind, count }) => `${kind} (${count})`).join(', ');
  warn(
    `${given}: ${total} objects are of APIs that are not served, of older releases or without their CustomResourceDefinition: ${list}`,
  );
}
