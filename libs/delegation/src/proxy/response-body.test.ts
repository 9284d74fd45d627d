import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { noQuery, RequestScope, ServerRuntime } from '@apichain/request';
import { deliveryRounds } from '@apichain/storage';
import { ResponseBody } from './response-body.ts';

describe('the body of a forwarded watch', () => {
  it('is delivered in the rounds of the watches of this process, which one time pays for', async () => {
    const request = new IncomingMessage(new Socket());
    const response = new ServerResponse(request);
    const scope = new RequestScope(request, response, '/', noQuery, new ServerRuntime());
    scope.longRunning = true;
    const upstream = new IncomingMessage(new Socket());
    const order: string[] = [];
    response.write = (chunk: unknown) => {
      order.push(String(chunk));
      return true;
    };
    const receiver = { part: () => undefined, end: () => undefined, failed: (error: Error) => assert.fail(error) };
    const body = new ResponseBody(scope, response, upstream, NaN, receiver);
    deliveryRounds.schedule(() => order.push('before'));
    upstream.emit('data', Buffer.from('forwarded '));
    upstream.emit('data', Buffer.from('events'));
    const { promise, resolve } = Promise.withResolvers<undefined>();
    deliveryRounds.schedule(() => {
      order.push('after');
      resolve(undefined);
    });
    await promise;
    assert.deepEqual(order, ['before', 'forwarded events', 'after']);
    body.flush();
    assert.equal(order.length, 3);
  });
});
