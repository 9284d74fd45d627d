import { surviveErrors } from '@apichain/request';
import { activityQuestion } from '../activity.ts';
import type { GenericApiServer } from '../server.ts';
import { serverVersion } from '@apichain/request';
import { FlagError, type FlagDefinition } from '@apichain/apiserver-options';
import { helpText } from '@apichain/apiserver-options';
import { parseFlags, type ParsedFlags } from '@apichain/apiserver-options';
import { workerCount, type Worker } from '@apichain/workers';

/** What `run` needs of a server. */
type RunServer = Pick<GenericApiServer, 'activity' | 'shutdown'> & {
  readonly config: Pick<GenericApiServer['config'], 'logger'>;
  /** Absent: its port is open. */
  readonly listen?: () => Promise<unknown>;
};

export interface Program {
  readonly name: string;
  /** One line for `--help`. */
  readonly summary: string;
  readonly definitions: readonly FlagDefinition[];
  /** Builds the server; `run` opens its port. `stop` ends the process as a signal does, e.g. after a fatal error. */
  readonly build: (flags: ParsedFlags, stop: (error: Error) => void) => Promise<RunServer>;
}

/**
 * The main function of a service: takes flags, returns the exit code. Serves until SIGTERM or SIGINT, then shuts down gracefully. If the
 * start fails, one line is written to standard error and the exit code is 1. `worker` is this process, where several serve together: the first of them
 * says what there is to say about the flags.
 */
export async function run(program: Program, argv: readonly string[], worker?: Worker): Promise<number> {
  let flags: ParsedFlags;
  try {
    flags = parseFlags(program.definitions, argv);
    checkWorkers(flags);
  } catch (error) {
    return fail(program, error);
  }
  if (flags.bool('help')) {
    process.stdout.write(helpText(program.name, program.summary, program.definitions));
    return 0;
  }
  const version = flags.string('version');
  if (version !== '' && version !== 'false') {
    const raw = version === 'raw' ? JSON.stringify(serverVersion) : `Kubernetes ${serverVersion.gitVersion}`;
    process.stdout.write(`${raw}\n`);
    return 0;
  }
  if (worker === undefined || worker.opensEarly) printWarnings(program, flags.warnings);
  try {
    return await serve(program, flags, worker);
  } catch (error) {
    return fail(program, error);
  }
}

/** Throws FlagError. Servers that only one process serves have no such flag. */
function checkWorkers(flags: ParsedFlags): void {
  if (!flags.has('workers')) return;
  const text = flags.string('workers');
  if (workerCount(text) === undefined)
    throw new FlagError(`--workers: "${text}" is not a number from 1 to 256, nor auto`);
}

function printWarnings(program: Program, warnings: readonly string[]): void {
  for (const warning of warnings) process.stderr.write(`${program.name}: warning: ${warning}\n`);
}

async function serve(program: Program, flags: ParsedFlags, worker: Worker | undefined): Promise<number> {
  const printed = flags.warnings.length;
  const stopped = Promise.withResolvers<Error | undefined>();
  const onSignal = () => stopped.resolve(undefined);
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // When the parent process of an IPC channel (apichain up) dies, this process must stop too.
  process.on('disconnect', onSignal);
  void worker?.replaced.then(onSignal);
  // A worker waits for what its parent says: whether it may open its port.
  if (worker === undefined) process.channel?.unref();
  let stopSurviving: () => void = () => undefined;
  let onMessage: (message: unknown) => void = () => undefined;
  try {
    const building = program.build(flags, (error) => stopped.resolve(error));
    // A stop signal during the start, e.g. while the server waits for etcd, ends the process at once.
    const server = await Promise.race([building, stopped.promise.then(() => undefined)]);
    // Some flags are understood only when the server is built.
    if (worker === undefined || worker.opensEarly) printWarnings(program, flags.warnings.slice(printed));
    if (server !== undefined) {
      await server.listen?.();
      // The parent process (apichain up) shows how busy the chain is.
      const activity = async () => JSON.stringify(await server.activity());
      worker?.respond(activityQuestion, activity);
      onMessage = (message) => {
        if (message === activityQuestion) void sendReply(activity());
      };
      if (worker === undefined) process.on('message', onMessage);
      // The server has clients from here on, so unexpected errors no longer end the process. Before, they end the start.
      stopSurviving = surviveErrors(server.config.logger);
    }
    const failure = await stopped.promise;
    await server?.shutdown();
    if (failure !== undefined) throw failure;
    return 0;
  } finally {
    stopSurviving();
    process.off('SIGTERM', onSignal);
    process.off('SIGINT', onSignal);
    process.off('disconnect', onSignal);
    process.off('message', onMessage);
  }
}

/** Sends a reply in the form in which a process with workers does. */
async function sendReply(text: Promise<string>): Promise<void> {
  const replies = [await text];
  if (process.connected) process.send?.({ replies });
}

function fail(program: Program, error: unknown): number {
  process.stderr.write(`${program.name}: ${explain(error)}\n`);
  return 1;
}

/** One line with the cause and, where known, the remedy. */
function explain(error: unknown): string {
  if (error instanceof FlagError) return `${error.message} (see --help)`;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `${error.message}: stop what listens there or choose another --secure-port`;
  if (code === 'EACCES') return `${error.message}: choose a --secure-port above 1023 or another --bind-address`;
  if (code === 'EADDRNOTAVAIL') return `${error.message}: choose a --bind-address of this machine`;
  return error.message.replaceAll('\n', ' ');
}
