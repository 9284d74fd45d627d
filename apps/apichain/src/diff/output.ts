import type { Change } from '@apichain/backup';
import { StartupError } from '@apichain/chain/setup';
import { stringifyJson } from '@apichain/meta';
import { asYaml } from '../open/yaml.ts';

/** Prints changes, one at a time. */
interface ChangeWriter {
  change(change: Change): void;
  /** Prints what follows the last change. */
  end(): void;
}

const print = (text: string): void => {
  process.stdout.write(text);
};

/** YAML documents: a comment with the place, what happened, and the patch. */
const yaml = (): ChangeWriter => ({
  change: (change) => {
    const { resource, namespace, name } = change;
    print(`---\n# ${change.change}: ${resource} ${namespace === undefined ? '' : `${namespace}/`}${name}\n`);
    print(asYaml(change));
  },
  end: () => undefined,
});

/** One document, a list, with a change a line. */
function json(): ChangeWriter {
  let count = 0;
  return {
    change: (change) => {
      print(`${count === 0 ? '[\n' : ',\n'}${stringifyJson(change)}`);
      count++;
    },
    end: () => print(count === 0 ? '[]\n' : '\n]\n'),
  };
}

const signs: Readonly<Record<Change['change'], string>> = { created: '+', deleted: '-', changed: '~' };

/** The names of the objects, by resource and namespace, and their number at the end. */
function summary(): ChangeWriter {
  const counts = { created: 0, deleted: 0, changed: 0 };
  let heading = '';
  return {
    change: ({ change, resource, namespace, name, unreadable }) => {
      const title = namespace === undefined ? resource : `${resource} in ${namespace}`;
      if (title !== heading) print(`${title}\n`);
      heading = title;
      print(`  ${signs[change]} ${name}${unreadable === undefined ? '' : ' (unreadable)'}\n`);
      counts[change]++;
    },
    end: () => print(`${counts.created} created, ${counts.deleted} deleted, ${counts.changed} changed\n`),
  };
}

const writers: ReadonlyMap<string, () => ChangeWriter> = new Map([
  ['json', json],
  ['summary', summary],
  ['yaml', yaml],
]);

/** Throws StartupError for a format that does not exist. */
export function writerOf(format: string): ChangeWriter {
  const make = writers.get(format);
  if (make === undefined)
    throw new StartupError(`--output: "${format}" is not one of ${[...writers.keys()].join(', ')}`);
  return make();
}
