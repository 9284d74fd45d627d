import type { Pod } from '@apichain/api/core/v1';
import type { ContainerView } from '../pods/containers.ts';
import { plainWords } from '../pods/commands.ts';
import { isShell, shells } from './shell-command.ts';

/** What a command does: what it prints, and its exit code. With `echoes` it prints its input. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly echoes?: boolean;
}

const printed = (stdout: string): CommandResult => ({ stdout, stderr: '', exitCode: 0 });
const exited = (exitCode: number): CommandResult => ({ stdout: '', stderr: '', exitCode });

const noFiles = (what: string, container: string): CommandResult => ({
  stdout: '',
  stderr: `${what}: the container ${container} is simulated and has no files\n`,
  exitCode: 1,
});

type Command = (words: readonly string[], container: ContainerView, pod: Pod) => CommandResult;

/** Commands that need no files. */
const commands: Readonly<Record<string, Command>> = {
  true: () => exited(0),
  false: () => exited(1),
  exit: ([code = '0']) => exited(Number(code) & 255),
  echo: (words) => printed(words[0] === '-n' ? words.slice(1).join(' ') : `${words.join(' ')}\n`),
  cat: (words, { name }) =>
    words.length === 0
      ? { stdout: '', stderr: '', exitCode: 0, echoes: true }
      : noFiles(`cat: ${words[0] ?? ''}`, name),
  // What `kubectl cp` runs.
  tar: (_words, { name }) => noFiles('tar', name),
  hostname: (_words, _container, { metadata, spec }) => {
    const ofNode = spec?.hostNetwork === true ? spec.nodeName : undefined;
    return printed(`${ofNode ?? spec?.hostname ?? metadata.name ?? ''}\n`);
  },
  env: (_words, { spec }, { metadata }) =>
    printed(
      [`HOSTNAME=${metadata.name ?? ''}`, ...(spec.env ?? []).map(({ name = '', value = '' }) => `${name}=${value}`)]
        .map((line) => `${line}\n`)
        .join(''),
    ),
};

const scriptOf = ([name = '', ...rest]: readonly string[]): string | undefined =>
  shells.has(name) && rest.includes('-c') ? rest[rest.indexOf('-c') + 1] : undefined;

/**
 * The result of a command in a simulated container: the output that the annotation `exec` has for it, else that of a few commands that are simulated, else
 * a line that says what would have run.
 */
export function runCommand(words: readonly string[], container: ContainerView, pod: Pod): CommandResult {
  const line = words.join(' ');
  const outputs = container.intention.exec ?? {};
  if (Object.hasOwn(outputs, line)) return printed(outputs[line] ?? '');
  const [first = '', ...rest] = words;
  const script = scriptOf(words);
  if (script !== undefined && isPlain(script)) return runCommand(plainWords(script), container, pod);
  // A shell without an input.
  if (isShell(words)) return exited(0);
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  return command?.(rest, container, pod) ?? printed(`simulated: ${line}\n`);
}

/** The result of a line that is typed into a shell. */
export const runLine = (line: string, container: ContainerView, pod: Pod): CommandResult =>
  runCommand(isPlain(line) ? plainWords(line) : [line], container, pod);

/** Whether a script is one command without operators and variables. */
const isPlain = (script: string): boolean => /^[\w ./=:,'"-]*$/.test(script);
