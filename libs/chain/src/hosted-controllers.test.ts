import assert from 'node:assert/strict';
import { createLogger } from '@apichain/request';
import { hostControllers } from './hosted-controllers.ts';

describe('controllers in the process of a chain', () => {
  it('that cannot run are told once, and stop', async () => {
    const failures: unknown[] = [];
    const connect = (): never => {
      throw new Error('no module');
    };
    const hosted = hostControllers({ connect }, ['garbage-collector-controller'], {
      rootCa: '',
      log: createLogger('controllers', 0, { write: () => undefined }),
      onFailure: (error) => void failures.push(error),
    });
    await assert.rejects(hosted.stop(), /^Error: no module$/);
    assert.deepEqual(failures.map(String), ['Error: no module']);
  });
});
