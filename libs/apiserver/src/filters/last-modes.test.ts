import assert from 'node:assert/strict';
import { impersonationModes } from './impersonation-modes.ts';
import { LastModes } from './last-modes.ts';

describe('LastModes', () => {
  it('tries the last allowed mode first, for each user', () => {
    const last = new LastModes(impersonationModes);
    const legacy = impersonationModes.find(({ verb }) => verb === 'impersonate');
    assert.ok(legacy !== undefined);
    assert.deepEqual(last.order('bob'), impersonationModes);
    last.remember('bob', legacy);
    assert.deepEqual(
      last.order('bob').map(({ verb }) => verb),
      [legacy, ...impersonationModes.slice(0, -1)].map(({ verb }) => verb),
    );
    assert.deepEqual(last.order('alice'), impersonationModes);
  });

  it('removes users after a period without requests', () => {
    const last = new LastModes(impersonationModes);
    const [mode] = impersonationModes.slice(-1);
    assert.ok(mode !== undefined);
    for (let i = 0; i <= 10_000; i++) last.remember(`user-${i}`, mode);
    assert.deepEqual(last.order('user-0'), impersonationModes);
    assert.notDeepEqual(last.order('user-1'), impersonationModes);
  });
});
