import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { missingLines } from './documented-commands/expected-output.ts';
import { blocksOf, follow } from './documented-commands/page.ts';
import { fencesOf } from './documented-commands/fences.ts';
import { repository } from './chain.ts';
import { requireKubectl } from './requirements.ts';

const pages = globSync(process.env['PAGES'] ?? 'docs/**/*.md', { cwd: repository }).sort();

describe('the commands of the documentation', function () {
  this.timeout(180_000);
  before(function () {
    requireKubectl(this);
  });

  for (const page of pages) {
    const { run, skipped } = blocksOf(page);
    if (run > 0) it(`${page}: ${run} blocks${skipped > 0 ? `, ${skipped} not run` : ''}`, () => follow(page));
  }

  it('are told apart from other blocks, with their attributes', () => {
    const [file, commands] = fencesOf('a\n```ts file=a.ts add\nx\n```\n\n```bash skip="no network" fails\nfalse\n```\n');
    assert.deepEqual(file, { language: 'ts', attributes: { file: 'a.ts', add: '' }, text: 'x\n', line: 2 });
    assert.deepEqual(commands?.attributes, { skip: 'no network', fails: '' });
  });

  it('print what the pages say, but for numbers, times and what "..." stands for', () => {
    const printed = 'NAME   AGE\nweb-7f   12s\nerror: no such pod "b"\nat 2026-11-23T05:59:57Z\n';
    assert.deepEqual(missingLines('NAME AGE\nweb-... 4m2s\n\n...\nat 2025-01-01T00:00:00Z', printed), []);
    assert.deepEqual(missingLines('NAME AGE\nNAME AGE', printed), ['NAME AGE']);
    assert.deepEqual(missingLines('error: no such pod "a"', printed), ['error: no such pod "a"']);
  });
});
