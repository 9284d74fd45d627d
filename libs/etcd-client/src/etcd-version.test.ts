import assert from 'node:assert/strict';
import { supportsWatchProgress } from './etcd-version.ts';

describe('supportsWatchProgress', () => {
  it('is true from the first safe releases on', () => {
    for (const version of ['3.4.31', '3.5.13', '3.5.16', '3.6.0', '4.0.0'])
      assert.ok(supportsWatchProgress(version), version);
    for (const version of ['3.4.23', '3.5.12', '3.3.27', '2.3.8', 'x'])
      assert.ok(!supportsWatchProgress(version), version);
  });
});
