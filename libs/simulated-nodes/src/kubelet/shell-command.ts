import type { Container } from '@apichain/api/core/v1';

/** The names of shells. */
export const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'ash', '/bin/sh', '/bin/bash', '/bin/ash']);

/** Whether a command is a shell that reads from its input. */
export const isShell = ([name = '', ...rest]: readonly string[]): boolean => shells.has(name) && !rest.includes('-c');

/** Whether a container runs such a shell: its command says so, or it has none and a terminal, as those of `kubectl debug -it`. */
export function runsShell({ command, args, stdin, tty }: Container): boolean {
  const words = [...(command ?? []), ...(args ?? [])];
  return stdin === true && (words.length === 0 ? tty === true : isShell(words));
}
