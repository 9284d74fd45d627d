import { readFileSync } from 'node:fs';
import type { CommandArguments } from './commands/command.ts';
import { isWhole, probe } from './probe.ts';
import { StartupError } from '@apichain/chain/setup';

/** `apichain probe`: exit code 0 when the URL returns status 200. Used as the health check of containers. */
export async function probeCommand(args: CommandArguments): Promise<void> {
  const url = args.string('url');
  const file = args.string('ca-file');
  if (!isWhole(url, file))
    throw new StartupError('probe needs --url, and --ca-file unless the URL begins with http://');
  const problem = await probe({ url, ...(file === undefined ? {} : { ca: readFileSync(file, 'utf8') }) });
  if (problem !== undefined) throw new StartupError(`${url}: ${problem}`);
}
