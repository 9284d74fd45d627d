import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What one mocha process counted. */
export interface SuiteStatistics {
  passes: number;
  failures: number;
  pending: number;
}

/** Where the counts of all projects are, from the repository. */
export const statisticsDirectory = 'dist/test';

/** The file of a project, which is named by its folder (`libs/meta`). */
export function statisticsFile(project: string): string {
  return join(statisticsDirectory, `${project}.json`);
}

/** The sum over all projects that have a file in the folder. Throws SyntaxError when a file is broken. */
export function sumOfStatistics(directory: string): SuiteStatistics {
  const total = { passes: 0, failures: 0, pending: 0 };
  for (const file of globSync('**/*.json', { cwd: directory })) {
    const counted = JSON.parse(readFileSync(join(directory, file), 'utf8')) as SuiteStatistics;
    total.passes += counted.passes;
    total.failures += counted.failures;
    total.pending += counted.pending;
  }
  return total;
}
