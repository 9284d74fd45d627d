import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Filter } from './filter.ts';
import { inOneLayer } from './in-one-layer.ts';

describe('inOneLayer', () => {
  const run = (filters: readonly Filter[]): unknown[] => {
    const request = new IncomingMessage(new Socket());
    const ends: unknown[] = [];
    inOneLayer(filters)(request, new ServerResponse(request), (error) => ends.push(error));
    return ends;
  };

  it('runs the filters in order, and what follows once', () => {
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

  it('stops where a filter answers', () => {
    assert.deepEqual(run([() => undefined, () => assert.fail('must not run')]), []);
  });

  it('hands on what a filter reports or throws, and runs no other', () => {
    const failure = new Error('broken');
    const never: Filter = () => assert.fail('must not run');
    assert.deepEqual(run([(_request, _response, next) => next(failure), never]), [failure]);
    const thrower: Filter = () => {
      throw failure;
    };
    assert.deepEqual(run([(_request, _response, next) => next(), thrower, never]), [failure]);
  });
});
