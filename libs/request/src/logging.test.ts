import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { levelOf } from './logging.ts';

describe('levelOf', () => {
  it("follows klog's verbosity", () => {
    assert.deepEqual([0, 2, 3, 5, 6, 10].map(levelOf), ['info', 'info', 'debug', 'debug', 'trace', 'trace']);
  });
});

describe('createLogger', () => {
  it('does not block the exit of a process with a closed standard error', async () => {
    const program = `
      import { createLogger } from ${JSON.stringify(new URL('./logging.ts', import.meta.url).href)};
      const logger = createLogger('test', 0);
      process.once('message', () => {
        logger.info('shutting down');
        logger.info('stopped');
        process.exit(7);
      });
      process.send('started');
    `;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    try {
      await once(child, 'message');
      child.stderr?.destroy();
      await once(child.stderr ?? child, 'close');
      child.send('stop');
      const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(10_000) })) as [number];
      assert.equal(code, 7);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('does not fail the caller when standard error is on a full disk', async () => {
    const program = `
      import { createLogger } from ${JSON.stringify(new URL('./logging.ts', import.meta.url).href)};
      const logger = createLogger('test', 0);
      for (let i = 0; i < 2000; i++) logger.info({ pad: 'x'.repeat(1000) }, 'a line');
      setTimeout(() => process.exit(7), 10);
    `;
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
      stdio: ['ignore', 'ignore', full],
    });
    const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(10_000) })) as [number];
    closeSync(full);
    assert.equal(code, 7);
  });
});
