import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { parsingJson, type Work } from '@apichain/meta';
import { runForRequest } from '../current-request.ts';
import { RequestScope } from '../request-scope.ts';
import { ServerRuntime } from '../server-runtime.ts';
import { LargeItems, largeItemInTurns } from './large-items.ts';
import { noQuery } from './query.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs the work for a request of the anonymous user. */
function run<T>(runtime: ServerRuntime, work: () => Promise<T>): Promise<T> {
  const request = new IncomingMessage(new Socket());
  const scope = new RequestScope(request, new ServerResponse(request), '/', noQuery, runtime);
  return new Promise((resolve, reject) => {
    runForRequest(scope, () => void work().then(resolve, reject));
  });
}

describe('large items', () => {
  it('of one user are in memory one after the other', async () => {
    const isOpen: number[] = [];
    const item = async (i: number) => {
      const large = new LargeItems();
      await large.enter();
      isOpen.push(i);
      assert.equal(isOpen.length, 1);
      await nextTurn();
      assert.equal(large.enter(), undefined);
      isOpen.pop();
      large.leave();
    };
    const runtime = new ServerRuntime();
    await Promise.all(Array.from({ length: 8 }, (_, i) => run(runtime, () => item(i))));
  });

  it('are made at once where they are small', () => {
    assert.equal(largeItemInTurns(parsingJson(Buffer.from('7'))), 7);
  });

  it('give their place back when they fail', async () => {
    function* failing(): Work<number> {
      yield;
      throw new Error('broken');
    }
    const runtime = new ServerRuntime();
    await assert.rejects(
      run(runtime, async () => largeItemInTurns(failing())),
      /broken/,
    );
    await run(runtime, async () => {
      const large = new LargeItems();
      assert.equal(large.enter(), undefined);
      large.leave();
    });
  });

  it('fail while they wait for their place when what they wait for fails', async () => {
    function* waiting(): Work<number> {
      yield Promise.reject(new Error('refused'));
      return 7;
    }
    const runtime = new ServerRuntime();
    await run(runtime, async () => {
      const held = new LargeItems();
      assert.equal(held.enter(), undefined);
      await assert.rejects(async () => largeItemInTurns(waiting()), /refused/);
      held.leave();
    });
    const free = new LargeItems();
    await run(runtime, async () => assert.equal(free.enter(), undefined));
    free.leave();
  });

  it('go on when what they wait for is there', async () => {
    function* waiting(): Work<number> {
      let value = 0;
      yield nextTurn().then(() => {
        value = 7;
      });
      return value;
    }
    assert.equal(await run(new ServerRuntime(), async () => largeItemInTurns(waiting())), 7);
  });
});
