import assert from 'node:assert/strict';
import { RestClient } from './rest-client.ts';
import type { Transport } from './transport.ts';

describe('RestClient', () => {
  it('reads a list without items as an empty one', async () => {
    const answer = '{"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"1"},"items":null}';
    async function* body() {
      yield Buffer.from(answer);
    }
    const transport: Transport = {
      send: async () => ({ status: 200, headers: {}, body: Object.assign(body(), { dump: async () => {} }) }),
      close: async () => {},
    };
    const pods = { group: '', version: 'v1', resource: 'pods' };
    const { items, metadata } = await new RestClient(transport).list(pods, undefined, { metadataOnly: true });
    assert.deepEqual(items, []);
    assert.equal(metadata.resourceVersion, '1');
  });
});
