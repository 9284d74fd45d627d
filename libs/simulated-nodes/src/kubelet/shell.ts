import type { CommandResult } from './command.ts';
import type { Print, Typed } from './terminal.ts';

const prompt = '# ';
const interrupted = 130;

/** How a session with a shell has ended. */
interface ShellEnd {
  readonly exitCode: number;
  /** Whether the user has ended it, rather than the connection. */
  readonly isExit: boolean;
}

/** Runs lines as a shell does, until `exit` or the end of the input. A terminal shows a prompt. */
export async function runShell(
  typed: AsyncIterable<Typed>,
  run: (line: string) => CommandResult,
  print: Print,
  isTerminal: boolean,
): Promise<ShellEnd> {
  let exitCode = 0;
  const ask = () => print(isTerminal ? prompt : '');
  ask();
  for await (const input of typed) {
    if (input === 'end') {
      print('exit\n');
      return { exitCode, isExit: true };
    }
    const line = input === 'interrupt' ? '' : input.line.trim();
    if (input === 'interrupt') exitCode = interrupted;
    const [name, code] = line.split(/\s+/);
    if (name === 'exit') return { exitCode: code === undefined ? exitCode : Number(code) & 255, isExit: true };
    if (line !== '') {
      const result = run(line);
      exitCode = result.exitCode;
      print(`${result.stdout}${result.stderr}`);
    }
    ask();
  }
  return { exitCode, isExit: false };
}
