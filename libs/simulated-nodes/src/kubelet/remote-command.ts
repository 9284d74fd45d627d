import type { Pod } from '@apichain/api/core/v1';
import type { Readable, Writable } from 'node:stream';
import type { ContainerView } from '../pods/containers.ts';
import { runCommand, runLine } from './command.ts';
import { type LogSource, writeLog } from './log-stream.ts';
import { runShell } from './shell.ts';
import { isShell, runsShell } from './shell-command.ts';
import { linesOf, terminalOutput, type Typed, typedLines } from './terminal.ts';

/** The streams of exec and attach. Those that the client does not want are absent. */
export interface CommandStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  /** Tells how the command has ended. */
  readonly status: Writable;
}

/** A command in a container, as a client asks for it. */
interface RemoteCommand {
  readonly container: ContainerView;
  readonly pod: Pod;
  readonly streams: CommandStreams;
  /** Whether the client has a terminal, in raw mode. */
  readonly tty: boolean;
}

/** Runs a command and reports its exit code to the client. */
export async function execute(words: readonly string[], command: RemoteCommand): Promise<void> {
  const { container, pod, streams } = command;
  if (isShell(words) && streams.stdin !== undefined)
    return finish(command, exitStatus((await converse(streams.stdin, command)).exitCode));
  const { stdout, stderr, exitCode, echoes = false } = runCommand(words, container, pod);
  const print = printer(command);
  if (stdout !== '') print(stdout);
  if (stderr !== '') print(stderr, 'stderr');
  return finish(
    command,
    exitStatus(echoes && streams.stdin !== undefined ? await repeat(streams.stdin, command) : exitCode),
  );
}

/** Shows the log of a container while it runs. One that runs a shell talks with the client, and ends when `exit` is typed: `ended` is told. */
export async function attach(
  source: LogSource,
  command: RemoteCommand,
  ended: (exitCode: number) => void,
): Promise<void> {
  const { container, pod, streams, tty } = command;
  const { stdin, stdout, stderr } = streams;
  if (runsShell(container.spec) && stdin !== undefined) {
    const { exitCode, isExit } = await converse(stdin, command);
    if (isExit || container.spec.stdinOnce === true) ended(exitCode);
    // A client learns the exit code from the status of the pod.
    return finish(command, exitStatus(0));
  }
  const output = stdout ?? stderr;
  const shown = tty && output !== undefined ? terminalOutput(output) : output;
  // The container does not read, but Ctrl-C leaves it.
  const leave = () => shown?.destroy();
  if (stdin !== undefined) void leftBy(stdin, tty).then(leave, leave);
  if (shown !== undefined) await writeLog(source, pod, container.name, wholeLog, shown);
  return finish(command, exitStatus(0));
}

const wholeLog = {
  follow: true,
  previous: false,
  timestamps: false,
  tailLines: undefined,
  since: undefined,
  limitBytes: Infinity,
};

/** Resolves when Ctrl-C or Ctrl-D is typed at a terminal; never for another input. */
async function leftBy(stdin: Readable, tty: boolean): Promise<void> {
  if (!tty) {
    stdin.resume();
    return new Promise(() => undefined);
  }
  for await (const typed of typedLines(stdin, () => undefined)) if (typed === 'interrupt' || typed === 'end') return;
}

function converse(stdin: Readable, command: RemoteCommand) {
  const { container, pod, tty } = command;
  return runShell(typedAt(stdin, command), (line) => runLine(line, container, pod), printer(command), tty);
}

/** Prints what is read, as `cat` does. Resolves to the exit code. */
async function repeat(stdin: Readable, command: RemoteCommand): Promise<number> {
  const { streams, tty } = command;
  if (!tty) {
    for await (const chunk of stdin as AsyncIterable<Buffer>) streams.stdout?.write(chunk);
    return 0;
  }
  const print = printer(command);
  for await (const typed of typedAt(stdin, command)) {
    if (typed === 'interrupt') return 130;
    if (typed === 'end') return 0;
    print(`${typed.line}\n`);
  }
  return 0;
}

const typedAt = (stdin: Readable, command: RemoteCommand): AsyncGenerator<Typed> =>
  command.tty ? typedLines(stdin, printer(command)) : linesOf(stdin);

/** Writes to the client; what it has no stream for goes to its standard output. */
function printer({ streams, tty }: RemoteCommand): (text: string, to?: 'stdout' | 'stderr') => void {
  return (text, to = 'stdout') => {
    const output = streams[to] ?? streams.stdout;
    if (text !== '') output?.write(tty ? text.replaceAll('\n', '\r\n') : text);
  };
}

/** Tells how a command has ended, after everything that it has printed. */
async function finish({ streams: { stdout, stderr, status } }: RemoteCommand, outcome: object): Promise<void> {
  await Promise.all(
    [stdout, stderr].map((output) => new Promise<void>((resolve) => output?.end(resolve) ?? resolve())),
  );
  status.end(JSON.stringify(outcome));
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
