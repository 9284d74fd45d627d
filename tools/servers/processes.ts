import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, extname } from 'node:path';

/** A figure in kB of a file in the folder of a process (proc(5)). Throws Error when it is not there. */
function kibOf(pid: number, file: 'smaps_rollup' | 'status', name: string): number {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'));
  if (match === null) throw new Error(`no ${name} in /proc/${pid}/${file}`);
  return Number(match[1]);
}

const sum = (pids: Iterable<number>, of: (pid: number) => number): number =>
  [...pids].reduce((total, pid) => total + of(pid), 0);

/** The proportional set size of processes in MiB, which counts memory shared between them once. */
export const memoryMiB = (pids: Iterable<number>): number =>
  sum(pids, (pid) => kibOf(pid, 'smaps_rollup', 'Pss')) / 1024;

/** The resident memory of processes, in MB. */
export const residentMb = (pids: Iterable<number>): number => sum(pids, (pid) => kibOf(pid, 'status', 'VmRSS')) / 1000;

/** The peak resident memory of processes since `forgetPeak`, in MB. */
export const peakMb = (pids: Iterable<number>): number => sum(pids, (pid) => kibOf(pid, 'status', 'VmHWM')) / 1000;

/** Resets the peak that the kernel records (proc(5), clear_refs). */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** The name of the program that a process runs; for a program of this repository the folder of the app. */
export function programName(pid: number): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  const [program = '', file = ''] = words.filter((word) => !word.startsWith('-'));
  const path = basename(program) === 'node' ? file : program;
  return /apps\/([^/]+)\/(?:src\/main|start)\.[jt]s$/.exec(path)?.[1] ?? basename(path, extname(path));
}

/** The clock ticks in a second of /proc/PID/stat. Linux has the same number on every architecture that Node runs on. */
const ticksPerSecond = 100;

/** The time of a process in user and kernel mode, in milliseconds. */
export function processorMs(pid: number): number {
  // The name of the program, in parentheses, may contain spaces. User and kernel time are the fields 14 and 15.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000;
}

/** The ids of a process and its descendants. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const parent = /^\d+$/.test(entry) ? parentOf(Number(entry)) : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** The parent of a process. Undefined for a process that has ended. */
function parentOf(pid: number): number | undefined {
  try {
    const parent = /\nPPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return parent === undefined ? undefined : Number(parent);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
