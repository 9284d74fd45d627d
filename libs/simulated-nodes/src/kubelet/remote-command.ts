import type { Pod } from '@apichain/api/core/v1';
import type { Readable, Writable } from 'node:stream';
import type { ContainerView } from '../pods/containers.ts';
import { runCommand } from './command.ts';
import { type LogSource, writeLog } from './log-stream.ts';

/** The streams of exec and attach. Those that the client does not want are absent. */
export interface CommandStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  /** Tells how the command has ended. */
  readonly status: Writable;
}

/** Runs a command and tells its exit code. */
export async function execute(
  words: readonly string[],
  container: ContainerView,
  pod: Pod,
  streams: CommandStreams,
): Promise<void> {
  const { stdout, stderr, exitCode, echoes = false } = runCommand(words, container, pod);
  if (stdout !== '') streams.stdout?.write(stdout);
  if (stderr !== '') (streams.stderr ?? streams.stdout)?.write(stderr);
  if (echoes && streams.stdin !== undefined)
    for await (const chunk of streams.stdin as AsyncIterable<Buffer>) streams.stdout?.write(chunk);
  finish(streams, exitStatus(exitCode));
}

/** Shows the log of a container while it runs. What the client types has no effect. */
export async function attach(
  source: LogSource,
  container: ContainerView,
  pod: Pod,
  streams: CommandStreams,
): Promise<void> {
  const options = {
    follow: true,
    previous: false,
    timestamps: false,
    tailLines: undefined,
    since: undefined,
    limitBytes: Infinity,
  };
  streams.stdin?.resume();
  const output = streams.stdout ?? streams.stderr;
  if (output !== undefined) await writeLog(source, pod, container.name, options, output);
  finish(streams, exitStatus(0));
}

function finish({ stdout, stderr, status }: CommandStreams, outcome: object): void {
  status.end(JSON.stringify(outcome));
  stdout?.end();
  stderr?.end();
}

/** The status of a command, as k8s.io/apimachinery/pkg/util/remotecommand defines it. */
function exitStatus(exitCode: number): object {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}
