import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runUp } from './chain.ts';

const small = ['--in-process', '--memory', '--apis=minimal'];

/** A port that a chain has chosen and that another program has taken before the chain listened. */
const takenPort = /(?::|port )(64\d\d)\b.*; trying another port/g;

/** A chain whose port nobody named. */
class ChainOnAnyPort {
  readonly directory = mkdtempSync(join(tmpdir(), 'apichain-ports-'));
  readonly #child;
  readonly #exited: Promise<unknown>;
  output = '';

  constructor(args: readonly string[]) {
    this.#child = runUp([`--data-dir=${this.directory}`, ...args]);
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString('utf8')));
    this.#exited = once(this.#child, 'exit');
  }

  /** Resolves with the port once the chain is ready. */
  async port(): Promise<number> {
    for (const deadline = Date.now() + 100_000; ; await sleep(20)) {
      const port = /ready at https:\/\/127\.0\.0\.1:(\d+)/.exec(this.output)?.[1];
      if (port !== undefined) return Number(port);
      if (this.#child.exitCode !== null || Date.now() > deadline) assert.fail(`it is not ready: ${this.output}`);
    }
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#exited;
    rmSync(this.directory, { recursive: true, force: true });
  }
}

describe('a port that nobody named', () => {
  it('is another one for each of several chains that start at the same time', async () => {
    const chains = [small, small, small].map((args) => new ChainOnAnyPort(args));
    try {
      const ports = await Promise.all(chains.map((chain) => chain.port()));
      assert.equal(new Set(ports).size, chains.length, String(ports));
      // They differ from the first choice on: no start was repeated because of another of these chains. Other programs may take ports too.
      for (const { output } of chains)
        for (const [, taken] of output.matchAll(takenPort)) assert.ok(!ports.includes(Number(taken)), output);
    } finally {
      for (const chain of chains) await chain.stop();
    }
  });

  for (const [form, args] of Object.entries({ 'one process': small, 'three services': ['--apis=minimal'] }))
    it(`is replaced when another program takes it before the chain listens (${form})`, async () => {
      const chain = new ChainOnAnyPort(args);
      const others: Server[] = [];
      try {
        // With the URL of its store the chain has chosen its port, and does not listen yet.
        while (!existsSync(join(chain.directory, 'store-url'))) await sleep(2);
        for (let port = 6443; port < 6453; port++) {
          const other = createServer();
          other.on('error', () => undefined);
          others.push(other.listen(port, '127.0.0.1'));
        }
        for (const deadline = Date.now() + 60_000; !/trying another port/.test(chain.output); await sleep(5))
          if (Date.now() > deadline) assert.fail(chain.output);
        const [[, taken] = []] = chain.output.matchAll(takenPort);
        assert.ok(taken !== undefined, chain.output);
        assert.notEqual(await chain.port(), Number(taken));
      } finally {
        for (const other of others) other.close();
        await chain.stop();
      }
    });
});
