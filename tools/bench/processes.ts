import { readFileSync, readdirSync } from 'node:fs';
import { basename, extname } from 'node:path';

/** The proportional set size of processes, which counts memory shared between them once. */
export function memoryMiB(pids: Iterable<number>): number {
  let kib = 0;
  for (const pid of pids) {
    const match = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
    if (match === null) throw new Error(`no Pss in /proc/${pid}/smaps_rollup`);
    kib += Number(match[1]);
  }
  return kib / 1024;
}

/** The resident set size of a process, in MiB. */
export function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? 0) / 1024;
}

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

/** The ids of a process and its descendants. Throws Error for a process that was not started. */
export function processTree(root: number | undefined): number[] {
  if (root === undefined) throw new Error('the process was not started');
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
