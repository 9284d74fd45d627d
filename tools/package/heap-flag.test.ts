import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { oneProcessHeapFlag } from '../../apps/apichain/src/up/heap.ts';

const repository = new URL('../../', import.meta.url);

describe('the heap flag of a chain in one process', () => {
  const places = [
    'package.json',
    'apps/apichain/package.json',
    'tools/package/files/bin.js',
    'Dockerfile',
    'tools/bench/servers/apichain-in-process.json',
    'tools/bench/servers/apichain-embedded.json',
    'tools/conformance/servers/in-process.json',
  ];
  for (const place of places)
    it(`is the same in ${place}`, () => {
      const found = readFileSync(new URL(place, repository), 'utf8').match(/--(?:max|min)-semi-space-size=\d+/g);
      assert.deepEqual(found, [oneProcessHeapFlag]);
    });
});

describe('the malloc arena of a chain in one process', () => {
  for (const place of ['package.json', 'apps/apichain/package.json', 'tools/package/files/bin.js', 'Dockerfile'])
    it(`is the only one in ${place}`, () => {
      const text = readFileSync(new URL(place, repository), 'utf8');
      assert.match(text, /\bMALLOC_ARENA_MAX=1\b/);
    });
});
