import assert from 'node:assert/strict';
import { checkKey } from './keys.ts';

describe('keys', () => {
  it('stay in their directory, with any dots in names', () => {
    for (const key of ['/roles/n/a..b', '/roles/n/.a', '/roles/n/..a', '/roles/n/a.']) checkKey(key);
    for (const key of ['/roles/n/..', '/roles/../x', '/roles/./x', '/roles/.'])
      assert.throws(() => checkKey(key), { message: `invalid key: "${key}"` });
  });
});
