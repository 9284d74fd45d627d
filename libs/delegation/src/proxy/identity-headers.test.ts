import assert from 'node:assert/strict';
import type { UserInfo } from '@apichain/authn';
import { chainIdentity, extensionIdentity } from './identity-headers.ts';

describe('identity headers', () => {
  const user = (name: string): UserInfo => ({ name, uid: '', groups: ['g'], extra: {} });

  it('carry what a header can hold, and every name within the chain', () => {
    assert.deepEqual(extensionIdentity(user('a b')), [
      ['X-Remote-User', 'a b'],
      ['X-Remote-Group', ['g']],
    ]);
    assert.deepEqual(chainIdentity(user('ä'))[0], ['X-Remote-User', 'Ã¤']);
    for (const name of [' a', 'a ', 'a\t', 'a\nb', 'a\0', '\ud800', 'a\x7f']) {
      assert.throws(() => extensionIdentity(user(name)), /cannot be passed on to an extension API server/);
      assert.deepEqual(
        chainIdentity(user(name)).map(([header]) => header),
        ['X-Apichain-Identity'],
      );
    }
    const many = { ...user('a'), groups: Array.from({ length: 2_000 }, (_, i) => `g${i}`) };
    assert.equal(chainIdentity(many).length, 1);
    assert.throws(() => chainIdentity({ ...user('a'), groups: ['g'.repeat(2 << 20)] }), /too large/);
  });
});
