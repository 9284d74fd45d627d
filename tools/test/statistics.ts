import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The counts of one mocha process. */
export interface SuiteStatistics {
  passes: number;
  failures: number;
  pending: number;
  /** Files of tests that were not run, each with the missing programs. */
  notRun?: readonly string[];
}

/** The folder with the counts of all projects, relative to the repository. */
export const statisticsDirectory = 'dist/test';

/** The file with the counts of a project. The project is identified by its folder (`libs/meta`). */
export function statisticsFile(project: string): string {
  return join(statisticsDirectory, `${project}.json`);
}

/** The sum over all projects that have a file in the folder. Throws SyntaxError when a file is not valid JSON. */
export function sumOfStatistics(directory: string): Required<SuiteStatistics> {
  const total = { passes: 0, failures: 0, pending: 0, notRun: [] as string[] };
  for (const file of globSync('**/*.json', { cwd: directory })) {
    const counted = JSON.parse(readFileSync(join(directory, file), 'utf8')) as SuiteStatistics;
    total.passes += counted.passes;
    total.failures += counted.failures;
    total.pending += counted.pending;
    total.notRun.push(...(counted.notRun ?? []));
  }
  return total;
}
