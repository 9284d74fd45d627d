import { writeFileSync } from 'node:fs';
import { StartupError } from '@apichain/chain/setup';
import { errorText } from '@apichain/client';
import { isBuiltinGroup } from '@apichain/kinds/model';
import { withClusterClient } from '../cluster-client.ts';
import type { CommandArguments } from '../commands/command.ts';
import { kindsOfFiles, kindsOfServer, type SchemaDocument } from './kind-schemas.ts';
import { moduleOf } from './module.ts';

/** `apichain generate types`. Throws StartupError with one line for what it cannot read; nothing is written then. */
export async function generateCommand(args: CommandArguments): Promise<void> {
  const [what, ...files] = args.arguments;
  const isServer = args.boolean('server');
  const groups = args.list('group');
  if (what !== 'types') throw new StartupError('generate what? apichain generate types (see apichain generate --help)');
  if (isServer === files.length > 0) throw new StartupError('either FILES or --server is needed');
  if (!isServer && groups.length > 0) throw new StartupError('--group is for --server');
  const text = await inOneLine(async () => moduleOf(isServer ? await ofServer(args, groups) : kindsOfFiles(files)));
  const output = args.string('output');
  if (output === undefined) process.stdout.write(text);
  else writeFileSync(output, text);
}

/** The kinds of a server in the groups that are asked for; by default, in those that are not part of Kubernetes. */
async function ofServer(args: CommandArguments, groups: readonly string[]): Promise<SchemaDocument[]> {
  const isWanted = (group: string) =>
    groups.length > 0 ? groups.includes(group === '' ? 'core' : group) : !isBuiltinGroup(group);
  let documents: SchemaDocument[] = [];
  await withClusterClient(args, 'apichain-generate', async (client) => {
    documents = await kindsOfServer(client, isWanted);
  });
  const kinds = documents.flatMap((document) => document.kinds);
  const missing = groups.find((group) => !kinds.some((kind) => kind.group === (group === 'core' ? '' : group)));
  if (missing !== undefined) throw new Error(`the server has no kinds in the group ${JSON.stringify(missing)}`);
  if (kinds.length === 0)
    throw new Error('the server has only the kinds of Kubernetes: name their groups with --group');
  return documents;
}

async function inOneLine<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new StartupError(errorText(error));
  }
}
