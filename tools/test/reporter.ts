import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import type { SuiteStatistics } from './statistics.ts';

/**
 * Mocha's dot reporter. It also prints each failure when it happens, because a run that is killed has no end, and at the end the names of skipped tests. Writes its
 * counts to the file in APICHAIN_TEST_STATISTICS.
 */
export default class StatisticsReporter extends Mocha.reporters.Dot {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const skipped: string[] = [];
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    runner.on('fail', (test, error: Error) => console.log(`\n  failed: ${test.fullTitle()}: ${error.message}`));
    runner.once('end', () => {
      for (const title of skipped) console.log(`  skipped: ${title}`);
      const file = process.env['APICHAIN_TEST_STATISTICS'];
      if (file === undefined) return;
      const { passes, failures, pending } = this.stats;
      writeFileSync(file, JSON.stringify({ passes, failures, pending } satisfies SuiteStatistics));
    });
  }
}
