import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { targetOf } from '../request.ts';
import { knownCases } from './known.ts';
import { parseStallOptions } from './options.ts';
import { caseAt, exceeds, writtenCases } from './search.ts';
import { largestSize, plain, sizeWithinMembers, withBody, withJson } from './stall-case.ts';

describe('the search for stalls', () => {
  it('generates the same cases from the same seed, and others from another', () => {
    const names = (seed: number) => Array.from({ length: 30 }, (_, i) => caseAt(seed, i).name);
    assert.deepEqual(names(1), names(1));
    assert.notDeepEqual(names(1), names(2));
  });

  it('generates every case in a small size', () => {
    for (const { name, request, stored } of [...writtenCases(), ...knownCases()]) {
      const made = request(3);
      assert.match(targetOf(made), /^[\x21-\x7e]+$/, name);
      assert.ok((stored?.(3) ?? []).length < 10, name);
    }
    for (let i = 0; i < 200; i++) assert.ok(caseAt(7, i).request(3).path.startsWith('/'));
  });

  it('generates requests of the maximal size', () => {
    const body = largestSize({ name: 'b', request: (n) => withBody('POST', '/a', 'text/plain', 'ab'.repeat(n)) });
    assert.ok(body > 1_450_000 && body <= 1_572_864, String(body));
    const head = largestSize({ name: 'h', request: (n) => plain('GET', '/a', ['x'.repeat(n)]) });
    assert.ok(head > 900_000 && head <= 1_000_000, String(head));
    const bounded = largestSize({ name: 'm', maxSize: 5, request: (n) => plain('GET', `/${'a'.repeat(n)}`) });
    assert.equal(bounded, 5);
  });

  it('generates requests with the maximal number of members', () => {
    const wide = { name: 'w', request: (n: number) => withJson('POST', '/a', { data: Array(n).fill(0) }) };
    const within = sizeWithinMembers(wide, 1_000_000) ?? 0;
    assert.ok(within > 99_900 && within < 100_000, String(within));
    assert.equal(sizeWithinMembers(wide, 90_000), undefined);
    const stored = { ...wide, stored: (n: number) => [wide.request(3 * n)] };
    const half = sizeWithinMembers(stored, 1_000_000) ?? 0;
    assert.ok(half > 24_900 && half < 25_000, String(half));
    const long = { name: 'l', request: (n: number) => withJson('POST', '/a', { data: 'a'.repeat(n) }) };
    assert.equal(sizeWithinMembers(long, 1_000_000), undefined);
  });

  it('reports long delays, high memory, a crash and missing responses', () => {
    const limits = { waitMs: 250, memoryMb: 300 };
    const fine = {
      waitMs: 10,
      memoryMb: 10,
      ended: false,
      outcome: { kind: 'response', status: 200, body: '' },
    } as const;
    assert.equal(exceeds(fine, limits), false);
    assert.equal(exceeds({ ...fine, waitMs: 251 }, limits), true);
    assert.equal(exceeds({ ...fine, memoryMb: 301 }, limits), true);
    assert.equal(exceeds({ ...fine, ended: true }, limits), true);
    assert.equal(exceeds({ ...fine, outcome: { kind: 'timeout' } }, limits), true);
  });

  it('reads its options, and reports invalid ones in one line', () => {
    const { seed, chain, limits } = parseStallOptions(['--stalls', '--seed=5', '--services', '--wait=100']);
    assert.deepEqual([seed, chain.services, limits.waitMs, limits.memoryMb], [5, true, 100, 300]);
    const bound = ({ seconds, cases }: ReturnType<typeof parseStallOptions>) => [seconds, cases];
    assert.deepEqual(bound(parseStallOptions(['--stalls'])), [300, Infinity]);
    assert.deepEqual(bound(parseStallOptions(['--stalls', '--cases=7'])), [Infinity, 7]);
    const main = fileURLToPath(new URL('../main.ts', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [main, '--stalls', '--seconds=x'], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /^--seconds x is not a number\n\nusage: npm run fuzz -- --stalls/);
  });
});
