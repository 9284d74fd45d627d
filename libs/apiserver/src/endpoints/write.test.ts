import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { isStatusError } from '@apichain/meta';
import { Query } from '@apichain/request';
import { widgetKind, testContext } from '../registry/widgets.fixture.ts';
import { withinBound } from './write.ts';
import type { EndpointRequest } from './scope.ts';

describe('the deadline of a write', () => {
  const request = new IncomingMessage(new Socket());
  const call: EndpointRequest = {
    ctx: testContext(),
    request,
    response: new ServerResponse(request),
    query: new Query(new Map()),
    name: widgetKind.kind,
    namespace: '',
  };

  it('passes results and errors within the deadline', async () => {
    assert.equal(await withinBound(call, () => Promise.resolve(1)), 1);
    await assert.rejects(
      withinBound(call, () => Promise.reject(new Error('refused'))),
      /^Error: refused$/,
    );
  });

  it('answers 504 after the deadline', async () => {
    const never = Promise.withResolvers<undefined>();
    await assert.rejects(
      withinBound(call, () => never.promise, 10),
      (error) =>
        isStatusError(error, 'Timeout') &&
        error.code === 504 &&
        error.message === 'Timeout: request did not complete within requested timeout - context deadline exceeded',
    );
    never.reject(new Error('too late to matter'));
  });
});
