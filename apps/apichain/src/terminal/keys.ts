import { existsSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

/** What the keys of a terminal do, by key. */
type KeyActions = Readonly<Record<string, () => void>>;

/** Told when the terminal belongs to another program for a while. */
interface Suspension {
  onSuspend(): void;
  onResume(): void;
}

const interrupt = '\u0003';
const suspend = '\u001a';

/**
 * Calls an action for each key that is pressed on the terminal, without Enter. Ctrl-C sends SIGINT to this process as before, Ctrl-Z stops it until
 * it is continued. Returns the function that gives the terminal back, which also happens when the process exits. Undefined, and nothing is changed,
 * where keys cannot be read: input or output is no terminal, or the process runs in the background of a shell.
 */
export function readKeys(actions: KeyActions, suspension: Suspension): (() => void) | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY || !isForeground()) return undefined;
  const onData = (pressed: Buffer) => {
    for (const key of pressed.toString('latin1')) {
      if (key === interrupt) process.kill(process.pid, 'SIGINT');
      else if (key === suspend) pause();
      else actions[key.toLowerCase()]?.();
    }
  };
  const restore = () => void stdin.setRawMode(false);
  const pause = () => {
    restore();
    suspension.onSuspend();
    process.kill(process.pid, 'SIGSTOP');
  };
  const resume = () => {
    if (!isForeground()) return suspension.onSuspend();
    stdin.setRawMode(true);
    suspension.onResume();
  };
  stdin.setRawMode(true);
  stdin.on('data', onData);
  // It was paused when the keys were last given back.
  stdin.resume();
  process.on('SIGCONT', resume);
  process.on('exit', restore);
  return () => {
    restore();
    stdin.off('data', onData);
    stdin.pause();
    process.off('SIGCONT', resume);
    process.off('exit', restore);
  };
}

/** Whether this process belongs to the group that its terminal listens to. Another one would be stopped when it sets the terminal. */
function isForeground(): boolean {
  const file = '/proc/self/stat';
  if (existsSync(file)) {
    // The second member is the name of the program, which may contain spaces.
    const members = readFileSync(file, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [, , group, , , foreground] = members;
    return group === foreground;
  }
  const { status, stdout } = spawnSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
  const [group, foreground] = status === 0 ? stdout.trim().split(/\s+/) : [];
  return group !== undefined && group === foreground;
}
