import assert from 'node:assert/strict';
import { splitUrl } from '@apichain/request';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { RequestScope, ServerRuntime } from '@apichain/request';
import { DroppedRequests } from './dropped-requests.ts';
import { FlowRequest } from './fair-queue.ts';
import { flowOf, info, levelOf, TestClock } from './flow-control.fixture.ts';
import { ObjectSizes } from './object-sizes.ts';
import { WatchTracker } from './watch-tracker.ts';
import { WorkEstimator } from './work-estimate.ts';

function scopeOf(method: string, url: string): RequestScope {
  const { path, query } = splitUrl(url) ?? assert.fail(url);
  const request = new IncomingMessage(new Socket());
  const scope = new RequestScope(request, new ServerResponse(request), path, query, new ServerRuntime());
  scope.requestInfo = info(method, url);
  return scope;
}

async function estimate(method: string, url: string, count = 0, averageBytes = 0, watches = new WatchTracker()) {
  const sizes = new ObjectSizes(() => Promise.resolve({ count, averageBytes }), assert.ifError);
  const scope = scopeOf(method, url);
  sizes.noteListed(scope.requestInfo);
  await Promise.resolve();
  const request = new FlowRequest(flowOf(levelOf(1, new TestClock()), '', [0]));
  new WorkEstimator(sizes, watches).estimate(request, scope);
  return [request.initialSeats, request.finalSeats, request.additionalLatency];
}

describe('WorkEstimator', () => {
  it('charges lists by the number of objects', async () => {
    const seats = async (url: string) => (await estimate('GET', url, 1000, 2000))[0];
    assert.equal(await seats('/api/v1/pods'), 10, 'a list from the cache holds a megabyte at most');
    assert.equal(await seats('/api/v1/pods?limit=100'), 2);
    assert.equal(await seats('/api/v1/pods?limit=100&continue=x'), 2);
    assert.equal(await seats('/api/v1/pods?limit=100&continue=x&labelSelector=a'), 10);
    assert.equal(await seats('/api/v1/pods?resourceVersion=5&resourceVersionMatch=Exact'), 20);
    assert.equal(await seats('/api/v1/pods?fieldSelector=metadata.name%3Da'), 1);
    assert.equal(await seats('/api/v1/pods?watch=true'), 10, 'it begins with what there is');
    assert.equal(await seats('/api/v1/pods?watch=true&resourceVersion=0'), 10);
    assert.equal(await seats('/api/v1/pods?watch=true&resourceVersion=5'), 1);
    const initial = '&resourceVersion=5&resourceVersionMatch=NotOlderThan&sendInitialEvents=';
    assert.equal(await seats(`/api/v1/pods?watch=true${initial}true`), 10);
    assert.equal(await seats(`/api/v1/pods?watch=true${initial}false`), 1);
    assert.equal(await seats('/api/v1/pods?watch=true&fieldSelector=metadata.name%3Da'), 1);
    assert.equal((await estimate('GET', '/api/v1/pods', 0, 0))[0], 1);
  });

  it('charges writes by the number of watches', async () => {
    const watches = new WatchTracker();
    const ends = Array.from({ length: 25 }, () => watches.register(info('GET', '/api/v1/pods?watch=1')));
    const write = (url: string) => estimate('PUT', url, 0, 0, watches);
    assert.deepEqual(await write('/api/v1/namespaces/a/pods/x'), [1, 3, 5]);
    assert.deepEqual(await write('/api/v1/namespaces/a/secrets/x'), [1, 0, 0]);
    for (const end of ends.slice(9)) end();
    assert.deepEqual(await write('/api/v1/namespaces/a/pods/x'), [1, 0, 0]);
    for (let i = 0; i < 191; i++) watches.register(info('GET', '/api/v1/namespaces/a/pods?watch=1'));
    assert.deepEqual(await write('/api/v1/namespaces/a/pods/x'), [1, 10, 10], 'what is too wide takes longer');
  });
});

describe('DroppedRequests', () => {
  it('doubles Retry-After while many requests are dropped and reduces it slowly', () => {
    const dropped = new DroppedRequests();
    assert.equal(dropped.retryAfter, 1);
    for (let second = 100; second < 200; second++) for (let i = 0; i < 200; i++) dropped.record(second);
    assert.equal(dropped.retryAfter, 32);
    for (let second = 300; second < 320; second += 2) dropped.record(second);
    assert.ok(dropped.retryAfter < 32 && dropped.retryAfter >= 20, String(dropped.retryAfter));
  });
});
