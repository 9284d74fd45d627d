import assert from 'node:assert/strict';
import { groupMembership } from './group-membership.ts';

const user = (groups: readonly string[]) => ({ name: 'a', uid: '', groups, extra: {} });

describe('groupMembership', () => {
  it('finds the members of few and of many groups', () => {
    for (const count of [0, 1, 32, 33, 1000]) {
      const groups = Array.from({ length: count }, (_, i) => `g${i}`);
      const isInGroup = groupMembership(user(groups));
      assert(groups.every(isInGroup));
      assert(!isInGroup('other'));
    }
  });

  it('indexes many groups once', () => {
    let reads = 0;
    const groups = new Proxy(
      Array.from({ length: 1000 }, (_, i) => `g${i}`),
      {
        get(target, name, receiver) {
          if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
          return Reflect.get(target, name, receiver) as unknown;
        },
      },
    );
    const isInGroup = groupMembership(user(groups));
    for (let i = 0; i < 100; i++) assert(!isInGroup(`other${i}`));
    assert.equal(reads, 1000);
  });
});
