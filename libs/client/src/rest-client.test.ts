import assert from 'node:assert/strict';
import { isStatusError, isUnexpectedServerError } from '@apichain/meta';
import { RestClient } from './rest-client.ts';
import type { Transport } from './transport.ts';

/** A client of a server that gives one response. */
function clientOf(text: string, status = 200, headers: Readonly<Record<string, string>> = {}): RestClient {
  async function* body() {
    yield Buffer.from(text);
  }
  const transport: Transport = {
    send: async () => ({ status, headers, body: Object.assign(body(), { dump: async () => {} }) }),
    close: async () => {},
  };
  return new RestClient(transport);
}

const pods = { group: '', version: 'v1', resource: 'pods' };
const shops = { group: 'example.com', version: 'v1', resource: 'shops', namespace: 'default' };

describe('RestClient', () => {
  it('reads a list without items as an empty one', async () => {
    const client = clientOf('{"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"1"},"items":null}');
    const { items, metadata } = await client.list(pods, undefined, { metadataOnly: true });
    assert.deepEqual(items, []);
    assert.equal(metadata.resourceVersion, '1');
  });

  describe('when it is refused', () => {
    const text = { 'content-type': 'text/plain; charset=utf-8' };
    const page = { 'content-type': 'text/html' };

    const errorOf = async (refused: Promise<unknown>) => {
      const error: unknown = await refused.catch((thrown: unknown) => thrown);
      assert.ok(isStatusError(error));
      return error;
    };

    it('throws the Status of the server', async () => {
      const status = { kind: 'Status', reason: 'NotFound', message: 'pods "a" not found', details: { name: 'a' } };
      const error = await errorOf(clientOf(JSON.stringify(status), 404).get(pods, 'a'));
      assert.deepEqual([error.code, error.reason, error.message], [404, 'NotFound', 'pods "a" not found']);
      assert.equal(isUnexpectedServerError(error), false);
    });

    it('takes reason and message from the code if the body is no Status', async () => {
      const missing = await errorOf(clientOf('404 page not found\n', 404, text).get(shops, 'a'));
      assert.ok(isUnexpectedServerError(missing));
      assert.deepEqual(missing.status, {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'the server could not find the requested resource (get shops.example.com a)',
        reason: 'NotFound',
        details: {
          name: 'a',
          group: 'example.com',
          kind: 'shops',
          causes: [{ reason: 'UnexpectedServerResponse', message: '404 page not found' }],
        },
        code: 404,
      });
      const busy = await errorOf(clientOf('<h1>busy</h1>', 503, { ...page, 'retry-after': '7' }).list(pods));
      assert.equal(busy.reason, 'ServiceUnavailable');
      assert.equal(busy.message, 'the server is currently unable to handle the request (get pods)');
      assert.equal(busy.status.details?.retryAfterSeconds, 7);
      for (const [own, expected] of [
        ['', 7],
        [',"details":{"retryAfterSeconds":3}', 3],
      ] as const) {
        const told = clientOf(`{"kind":"Status","message":"busy"${own}}`, 429, { ...text, 'retry-after': '7' });
        assert.equal((await errorOf(told.list(pods))).status.details?.retryAfterSeconds, expected);
      }
      const broken = await errorOf(clientOf('oops', 502, text).delete(pods, 'a'));
      assert.deepEqual(
        [broken.reason, broken.message],
        ['InternalError', 'an error on the server ("oops") has prevented the request from succeeding (delete pods a)'],
      );
      const denied = await errorOf(
        clientOf('not you', 403, text).create(pods, { apiVersion: 'v1', kind: 'Pod', metadata: {} }),
      );
      assert.deepEqual([denied.reason, denied.message], ['Forbidden', 'not you (post pods)']);
    });

    it('names no resource for a path of its own, and no text that is none', async () => {
      const json = { 'content-type': 'application/json' };
      for (const body of ['{"error":"nothing here"}', '{broken', '{"kind":"Status","message":1}']) {
        const error = await errorOf(clientOf(body, 404, json).request('GET', '/version'));
        assert.equal(error.message, 'the server could not find the requested resource');
        assert.deepEqual(error.status.details, {
          causes: [{ reason: 'UnexpectedServerResponse', message: 'unknown' }],
        });
      }
    });

    it('does so for watches too', async () => {
      const watch = clientOf('teapot', 418, text).watch(pods, {}, AbortSignal.abort());
      const error = await errorOf(watch.next());
      const message = 'the server responded with the status code 418 but did not return more information (get pods)';
      assert.deepEqual([error.reason, error.message], ['', message]);
    });
  });
});
