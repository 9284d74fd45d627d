import { readFileSync, writeFileSync } from 'node:fs';

const kibOf = (pid: number, name: string): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status);
  if (match === null) throw new Error(`no ${name} of process ${pid}`);
  return Number(match[1]);
};

/** Resident memory of a process, in MB. */
export const residentMb = (pid: number): number => kibOf(pid, 'VmRSS') / 1000;

/** The most memory it had at a time since `forgetPeak`, in MB. */
export const peakMb = (pid: number): number => kibOf(pid, 'VmHWM') / 1000;

/** Lets the kernel count anew (proc(5), clear_refs). */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');
