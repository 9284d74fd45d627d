import { chooseObjects, exportObjects, labelsMatch, resourceName, type StoredPlace } from '@apichain/backup';
import { StartupError } from '@apichain/chain/setup';
import { errorMessage } from '@apichain/meta';
import type { CommandArguments } from '../commands/command.ts';
import { openBackup, optionsOfBackups } from '../open/backup-objects.ts';
import { asYaml } from '../open/yaml.ts';
import { warn } from '../up/say.ts';

/** `apichain export`. Prints manifests. The exit code is 1 when an object cannot be read. Throws StartupError with one line. */
export async function exportCommand(args: CommandArguments): Promise<void> {
  const [given, ...listed] = args.arguments;
  const resources = listed.flatMap((kinds) => kinds.split(',')).filter((kind) => kind !== '');
  if (given === undefined) throw new StartupError('export needs a backup (see apichain export --help)');
  const matches = asStartupError(() => labelsMatch(args.string('selector') ?? ''));
  const options = optionsOfBackups(args);
  try {
    const objects = await openBackup(given, options);
    const chosen = asStartupError(() => chooseObjects([objects], { resources, namespaces: args.list('namespace') }));
    let masked = 0;
    for await (const exported of exportObjects(objects, {
      chosen,
      matches,
      showSecrets: args.boolean('show-secrets'),
    })) {
      if ('unreadable' in exported) {
        warn(`${nameOf(exported.place)} is left out: ${exported.unreadable}`);
        process.exitCode = 1;
        continue;
      }
      if (exported.masked) masked++;
      process.stdout.write(`---\n${asYaml(exported.manifest)}`);
    }
    if (masked > 0) warn(`the values of ${masked} Secrets are masked: --show-secrets exports them as they are`);
  } finally {
    options.close();
  }
}

const nameOf = ({ resource, namespace, name }: StoredPlace): string =>
  `${resourceName(resource)} ${namespace === '' ? '' : `${namespace}/`}${name}`;

function asStartupError<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw new StartupError(errorMessage(error));
  }
}
