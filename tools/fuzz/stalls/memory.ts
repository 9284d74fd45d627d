import { readFileSync, writeFileSync } from 'node:fs';

const kibOf = (pid: number, name: string): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status);
  if (match === null) throw new Error(`no ${name} of process ${pid}`);
  return Number(match[1]);
};

/** The resident memory of a process, in MB. */
export const residentMb = (pid: number): number => kibOf(pid, 'VmRSS') / 1000;

/** The peak resident memory of a process since `forgetPeak`, in MB. */
export const peakMb = (pid: number): number => kibOf(pid, 'VmHWM') / 1000;

/** Resets the peak that the kernel records (proc(5), clear_refs). */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');
