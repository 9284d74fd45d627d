import assert from 'node:assert/strict';
import { newConflict } from '@apichain/meta';
import { toStatusError } from './status-error.ts';

describe('toStatusError', () => {
  const thrownBy = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  };

  it('keeps a Status error', () => {
    const conflict = newConflict({ group: '', resource: 'pods' }, 'a', 'x');
    assert.equal(toStatusError(conflict), conflict);
  });

  it('answers 503 with Retry-After for an unreachable server', () => {
    const failures = [
      { code: 'ECONNREFUSED', syscall: 'connect' },
      { code: 'ENOENT', syscall: 'connect' },
      { code: 'UND_ERR_SOCKET' },
    ];
    for (const failure of failures) {
      const { status } = toStatusError(Object.assign(new Error('no way'), failure));
      assert.deepEqual([status.code, status.details?.retryAfterSeconds], [503, 1]);
    }
    assert.equal(toStatusError(Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' })).status.code, 500);
  });

  it('answers 400 for nesting that exhausts the stack, and 500 for other errors', () => {
    const endless = (): number => 1 + endless();
    assert.equal(toStatusError(thrownBy(endless)).status.code, 400);
    assert.equal(toStatusError(new RangeError('Invalid array length')).status.code, 500);
    assert.equal(toStatusError('text').status.message, 'text');
  });
});
