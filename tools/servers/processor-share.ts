import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The period in microseconds after which a group of processes gets its processor time again. */
const periodUs = 20_000;

/**
 * Groups of processes with a bound on their processor time: control groups of Linux, version 2, or version 1 with the controller `cpu` mounted where
 * distributions mount it. Making them needs the rights of root.
 */
export class ProcessorShares {
  readonly #groups: string[] = [];

  /** The processes get `cores` processors together, e.g. 0.25. Throws Node's error when this user may not, Error where there are no such groups. */
  limit(pids: readonly number[], cores: number): void {
    const name = `apichain-bench-${process.pid}-${this.#groups.length}`;
    const quotaUs = Math.round(periodUs * cores);
    const [root, files] = existsSync('/sys/fs/cgroup/cgroup.controllers')
      ? ['/sys/fs/cgroup', { 'cpu.max': `${quotaUs} ${periodUs}` }]
      : ['/sys/fs/cgroup/cpu', { 'cpu.cfs_period_us': `${periodUs}`, 'cpu.cfs_quota_us': `${quotaUs}` }];
    if (!existsSync(root)) throw new Error(`there are no control groups in ${root}`);
    const folder = join(root, name);
    mkdirSync(folder);
    this.#groups.push(folder);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    for (const pid of pids) writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  }

  /** To be called when the processes have ended. */
  remove(): void {
    for (const folder of this.#groups.splice(0)) rmdirSync(folder);
  }
}
