import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { anonymousUser } from '@apichain/authn';
import { inTurns, type Work } from '@apichain/meta';
import { runForRequest } from './current-request.ts';
import { takePlace, takePlaceForDocument } from './large-work.ts';
import { noQuery } from './negotiation/query.ts';
import { RequestScope } from './request-scope.ts';
import { ServerRuntime } from './server-runtime.ts';

const miB = 1024 * 1024;
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Longer than the time of a turn, in milliseconds, so that every step is followed by a pause. */
const stepMs = 25;

const runtime = new ServerRuntime();

function scopeOfUser(name: string, server = runtime): RequestScope {
  const request = new IncomingMessage(new Socket());
  const scope = new RequestScope(request, new ServerResponse(request), '/', noQuery, server);
  scope.user = { ...anonymousUser, name };
  return scope;
}

function run<T>(scope: RequestScope, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    runForRequest(scope, () => {
      Promise.resolve().then(work).then(resolve, reject);
    });
  });
}

function* steps(count: number, done: () => void): Work<undefined> {
  for (let i = 0; i < count; i++) {
    const end = performance.now() + stepMs;
    while (performance.now() < end);
    done();
    yield;
  }
}

describe('long work of requests', () => {
  it('of one user delays that of another by one step for each of its own', async () => {
    let ofAlice = 0;
    const alice = Array.from({ length: 24 }, () => run(scopeOfUser('alice'), () => inTurns(steps(3, () => ofAlice++))));
    // All of them wait by now.
    while (ofAlice < 24) await nextTurn();
    const before = ofAlice;
    const ownSteps = 4;
    await run(scopeOfUser('bob'), () => inTurns(steps(ownSteps, () => undefined)));
    const meanwhile = ofAlice - before;
    assert.ok(meanwhile <= ownSteps + 1, `${meanwhile} steps of alice`);
    await Promise.all(alice);
    assert.equal(ofAlice, 24 * 3);
  });
});

describe('takePlace', () => {
  const take = (scope: RequestScope, bytes: number) => run(scope, async () => takePlace(bytes));
  const isWaiting = async (promise: Promise<void>): Promise<boolean> => {
    let isOver = false;
    void promise.finally(() => (isOver = true)).catch(() => undefined);
    await nextTurn();
    return !isOver;
  };

  it('lets the large requests of a user wait until earlier ones are over', async () => {
    const [first, second, other] = [scopeOfUser('carol'), scopeOfUser('carol'), scopeOfUser('dave')];
    await take(first, 3 * miB);
    const waiting = take(second, miB);
    assert.equal(await isWaiting(waiting), true);
    await take(other, 3 * miB);
    first.finish();
    await waiting;
    second.finish();
    other.finish();
  });
  it('lets a request of one server not wait for those of another', async () => {
    const [here, there] = [scopeOfUser('judy'), scopeOfUser('judy', new ServerRuntime())];
    await take(here, 3 * miB);
    await take(there, 3 * miB);
    here.finish();
    there.finish();
  });
  it('rejects for a request that ends while it waits', async () => {
    const [first, second, third] = [scopeOfUser('erin'), scopeOfUser('erin'), scopeOfUser('erin')];
    await take(first, 3 * miB);
    const waiting = take(second, miB);
    const after = take(third, miB);
    assert.equal(await isWaiting(waiting), true);
    second.abort(new Error('gone'));
    await assert.rejects(waiting, /gone/);
    first.finish();
    await after;
    third.finish();
  });
  it('gives a request one place, which counts until it is over', async () => {
    const [first, second] = [scopeOfUser('frank'), scopeOfUser('frank')];
    await take(first, 2 * miB);
    await take(first, 2 * miB);
    const waiting = take(second, miB);
    assert.equal(await isWaiting(waiting), true);
    first.finish();
    await waiting;
    second.finish();
  });
  it('bounds changes of large documents, not of small ones', async () => {
    const [first, second, third] = [scopeOfUser('grace'), scopeOfUser('grace'), scopeOfUser('grace')];
    const change = (scope: RequestScope, bytes: number) => run(scope, async () => takePlaceForDocument(bytes));
    await change(first, 2 * miB);
    await change(second, 1_000);
    const waiting = change(third, miB);
    assert.equal(await isWaiting(waiting), true);
    first.finish();
    await waiting;
    third.finish();
  });
  it('does not bound work that belongs to no request', () => {
    assert.equal(takePlace(100 * miB), undefined);
    assert.equal(takePlace(100 * miB), undefined);
  });
});
