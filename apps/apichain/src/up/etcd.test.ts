import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { findEtcd } from './etcd.ts';

describe('findEtcd', () => {
  it('says in one line what can be done without etcd on the PATH', () => {
    assert.throws(
      () => findEtcd('use another one, or', { PATH: tmpdir() }),
      /^StartupError: etcd was not found on the PATH: use another one, or install it .*$/,
    );
  });
});
