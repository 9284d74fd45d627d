import assert from 'node:assert/strict';
import fc from 'fast-check';
import { deal, hashFlow } from './shuffle-sharding.ts';

describe('shuffle sharding', () => {
  it('deals distinct cards of the deck', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.integer({ min: 1, max: 200 }),
        fc.nat(7),
        (hash, deck, n) => {
          const handSize = Math.min(deck, n + 1);
          const hand = deal(hash, deck, handSize);
          assert.equal(new Set(hand).size, handSize);
          assert.ok(hand.every((card) => card >= 0 && card < deck));
        },
      ),
    );
  });

  it('deals all hands with equal frequency', () => {
    const seen = new Map<string, number>();
    for (let hash = 0n; hash < 60n; hash++) {
      const hand = deal(hash, 5, 3).join();
      seen.set(hand, (seen.get(hand) ?? 0) + 1);
    }
    assert.equal(seen.size, 60);
  });

  it('hashes flows by schema and distinguisher', () => {
    assert.equal(hashFlow('a', 'b'), hashFlow('a', 'b'));
    assert.notEqual(hashFlow('a', 'b'), hashFlow('ab', ''));
  });
});
