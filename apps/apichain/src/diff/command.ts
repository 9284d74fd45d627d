import { chooseObjects, diffBackups, type BackupObjects } from '@apichain/backup';
import { StartupError } from '@apichain/chain/setup';
import { errorMessage } from '@apichain/meta';
import type { CommandArguments } from '../commands/command.ts';
import { openBackup, optionsOfBackups } from '../open/backup-objects.ts';
import { writerOf } from './output.ts';

/** `apichain diff`. The exit code is that of `diff`: 0 when nothing differs, 1 when something does. Throws StartupError with one line on trouble. */
export async function diffCommand(args: CommandArguments): Promise<void> {
  if (await compare(args)) process.exitCode = 1;
}

/** Whether the backups differ. */
async function compare(args: CommandArguments): Promise<boolean> {
  const [from, to] = args.arguments;
  if (from === undefined || to === undefined)
    throw new StartupError('diff needs two backups (see apichain diff --help)');
  const write = writerOf(args.string('output') ?? '');
  const options = optionsOfBackups(args);
  try {
    const [before, after] = [await openBackup(from, options), await openBackup(to, options)];
    const { includes } = chosen(args, [before, after]);
    let hasChanges = false;
    const changes = diffBackups(before, after, {
      includes,
      managedFields: args.string('ignore-managed-fields') === 'false',
      status: !args.boolean('ignore-status'),
      showSecrets: args.boolean('show-secrets'),
    });
    for await (const change of changes) {
      hasChanges = true;
      write.change(change);
    }
    write.end();
    return hasChanges;
  } finally {
    options.close();
  }
}

/** Throws StartupError for a kind that neither backup has. */
function chosen(args: CommandArguments, backups: readonly BackupObjects[]) {
  const choose = (resources: readonly string[], namespaces: readonly string[]) =>
    chooseObjects(backups, { resources, namespaces });
  const kinds = args.list('kinds');
  const ignored = (args.string('ignore-kinds') ?? '').split(',').filter((kind) => kind !== '' && kind !== 'none');
  try {
    const wanted = choose(kinds, args.list('namespace'));
    // A kind that was asked for is not ignored.
    if (kinds.length > 0 || ignored.length === 0) return wanted;
    const unwanted = choose(ignored, []);
    return {
      includes: (place: Parameters<typeof wanted.includes>[0]) => wanted.includes(place) && !unwanted.includes(place),
    };
  } catch (error) {
    throw new StartupError(errorMessage(error));
  }
}
