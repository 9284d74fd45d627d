import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { attachScope, RequestScope, ServerRuntime } from '@apichain/request';
import { noQuery } from '@apichain/request';
import type { Filter } from '@apichain/request';
import { inOneLayer } from './in-one-layer.ts';

describe('inOneLayer', () => {
  const run = (filters: readonly Filter[]): unknown[] => {
    const request = new IncomingMessage(new Socket());
    const ends: unknown[] = [];
    inOneLayer(filters)(request, new ServerResponse(request), (error) => ends.push(error));
    return ends;
  };

  it('runs the filters in order, and the next handler once', () => {
    const seen: string[] = [];
    const named =
      (name: string): Filter =>
      (_request, _response, next) => {
        seen.push(name);
        next();
      };
    assert.deepEqual(run([named('a'), named('b'), named('c')]), [undefined]);
    assert.deepEqual(seen, ['a', 'b', 'c']);
  });

  it('stops after a filter that answers', () => {
    assert.deepEqual(run([() => undefined, () => assert.fail('must not run')]), []);
  });

  it('stops a request that is answered or aborted while a filter waits', () => {
    const request = new IncomingMessage(new Socket());
    const response = new ServerResponse(request);
    const goOn: (() => void)[] = [];
    const waits: Filter = (_request, _response, next) => goOn.push(next);
    const never: Filter = () => assert.fail('must not run');
    const layer = inOneLayer([waits, never]);
    const scope = new RequestScope(request, response, '/', noQuery, new ServerRuntime());
    attachScope(scope);
    layer(request, response, () => assert.fail('must not get there'));
    scope.abort(new Error('too late'));
    goOn.shift()?.();
    const other = new IncomingMessage(new Socket());
    const answered = new ServerResponse(other);
    layer(other, answered, () => assert.fail('must not get there'));
    answered.end();
    goOn.shift()?.();
    assert.equal(goOn.length, 0);
  });

  it('forwards the error of a filter, and runs no further filter', () => {
    const failure = new Error('broken');
    const never: Filter = () => assert.fail('must not run');
    assert.deepEqual(run([(_request, _response, next) => next(failure), never]), [failure]);
    const thrower: Filter = () => {
      throw failure;
    };
    assert.deepEqual(run([(_request, _response, next) => next(), thrower, never]), [failure]);
  });
});
