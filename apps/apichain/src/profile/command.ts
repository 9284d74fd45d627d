import { once } from 'node:events';
import { createWriteStream, rmSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import { basename, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { StartupError, type ServiceName } from '@apichain/chain/setup';
import { hasErrorCode, isRecord, parseJson } from '@apichain/meta';
import type { CommandArguments } from '../commands/command.ts';
import { directoryOf } from '../lifecycle/chain-directory.ts';
import { debugSocketOf, lockHolder } from '../up/data-directory.ts';

const maxSeconds = 300;
const services: readonly string[] = ['aggregator', 'kube-core', 'apiextensions'] satisfies ServiceName[];

/** How a profile is read, and what its file is called. */
interface Kind {
  readonly path: string;
  readonly ending: string;
  /** What to say of the file. */
  readonly hint: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  cpu: {
    path: '/debug/v8/profile',
    ending: 'cpuprofile',
    hint: 'open it in the developer tools of Chrome or in an editor',
  },
  heap: {
    path: '/debug/v8/heap',
    ending: 'heapsnapshot',
    hint: 'open it in the developer tools of Chrome; it has the keys and tokens of the service in it',
  },
};

/** `apichain profile cpu|heap SERVICE`. Throws StartupError when no profile can be taken. */
export async function profileCommand(args: CommandArguments): Promise<void> {
  const [kind = '', service] = args.arguments;
  const wanted = kinds[kind];
  if (wanted === undefined || !isServiceName(service))
    throw new StartupError(
      'name a profile and a service: apichain profile cpu|heap aggregator|kube-core|apiextensions',
    );
  const { path, ending, hint } = wanted;
  const output = resolve(args.string('output') ?? `${service}.${ending}`);
  const directory = directoryOf(args);
  const query = new URLSearchParams({ component: service, seconds: secondsOf(args) });
  const response = await responseOf(directory, service, `${path}?${query.toString()}`);
  if (response.statusCode !== 200) throw await refusalOf(response, directory);
  // Only this user may read it: a snapshot of the heap has secrets in it.
  const file = createWriteStream(output, { mode: 0o600, flags: 'wx' });
  try {
    await once(file, 'open');
  } catch (error) {
    response.destroy();
    if (hasErrorCode(error, 'EEXIST')) throw new StartupError(`${output} exists: choose another file with --output`);
    throw new StartupError(`--output ${output} cannot be written: ${error instanceof Error ? error.message : ''}`);
  }
  try {
    await pipeline(response, file);
  } catch (error) {
    rmSync(output, { force: true });
    throw new StartupError(`the profile was broken off: ${error instanceof Error ? error.message : ''}`);
  }
  console.log(`${basename(output)}: ${Math.ceil(file.bytesWritten / 1024)} KiB; ${hint}`);
}

const isServiceName = (name: string | undefined): name is ServiceName => services.includes(name ?? '');

function secondsOf(args: CommandArguments): string {
  const given = args.string('seconds') ?? '';
  if (!(Number(given) > 0 && Number(given) <= maxSeconds))
    throw new StartupError(`--seconds: "${given}" is not a number above 0 and up to ${maxSeconds}`);
  return given;
}

/** The response of the debug socket of the service, or of the aggregator if all run in one process. */
async function responseOf(directory: string, service: ServiceName, path: string): Promise<IncomingMessage> {
  for (const name of new Set([service, 'aggregator'] as const)) {
    try {
      return await get(debugSocketOf(directory, name), path);
    } catch (error) {
      if (!hasErrorCode(error, 'ENOENT') && !hasErrorCode(error, 'ECONNREFUSED')) throw error;
    }
  }
  const isRunning = lockHolder(directory) !== undefined;
  throw new StartupError(
    isRunning
      ? `the chain of ${directory} has no debug socket of its own: it is still starting, or was started with --debug-socket-path`
      : `no chain runs on ${directory}`,
  );
}

async function get(socketPath: string, path: string): Promise<IncomingMessage> {
  const request = http.get({ socketPath, path, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function refusalOf(response: IncomingMessage, directory: string): Promise<StartupError> {
  const body = await text(response);
  if (response.statusCode === 404)
    return new StartupError(`the chain of ${directory} serves no profiles: it was started with --profiling=false`);
  const status: unknown = body.startsWith('{') ? parseJson(body) : undefined;
  const message = isRecord(status) && typeof status['message'] === 'string' ? status['message'] : body.trim();
  return new StartupError(`no profile: ${message}`);
}
