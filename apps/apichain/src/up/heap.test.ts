import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/** Prints the size of the space for new objects while it is held and after its release, in MiB. */
const program = `
import { getHeapSpaceStatistics } from 'node:v8';
import { holdNewSpace } from ${JSON.stringify(new URL('heap.ts', import.meta.url).href)};
const size = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 1024 / 1024;
const allocate = () => {
  const kept = [];
  for (let count = 0; count < 1_000_000; count++) kept.push({ count });
  return kept.length;
};
const before = size();
const release = holdNewSpace();
allocate();
const held = size();
release();
allocate();
console.log(JSON.stringify({ before, held, released: size() }));
`;

describe('the space for new objects of a minimal chain', () => {
  it('does not grow during the start, but does so later', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    const { before, held, released } = JSON.parse(stdout) as Readonly<Record<string, number>>;
    // The second half is only counted once it was used.
    assert.ok(Number(held) <= 2 * Number(before), `${stdout}${stderr}`);
    assert.ok(Number(released) > 2 * Number(before), stdout);
  }).timeout(10_000);
});
