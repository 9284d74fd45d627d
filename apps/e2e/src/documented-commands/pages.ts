import { globSync } from 'node:fs';
import { repository } from '../chain.ts';
import { unpackedPackage } from '../packed-package.ts';
import { requireKubectl } from '../requirements.ts';
import { blocksOf, follow } from './page.ts';

/** The pages of the documentation, in two halves: two files of tests run at the same time. */
export const documentedPages = globSync('docs/**/*.md', { cwd: repository }).sort();
export const isGuide = (page: string): boolean => page.startsWith('docs/guides/');

/** Defines a test for each page that has commands. */
export function followPages(pages: readonly string[]): void {
  before(async function () {
    this.timeout(300_000);
    requireKubectl(this);
    await unpackedPackage();
  });
  for (const page of pages) {
    const { run, skipped } = blocksOf(page);
    if (run > 0) it(`${page}: ${run} blocks${skipped > 0 ? `, ${skipped} not run` : ''}`, () => follow(page));
  }
}
