import assert from 'node:assert/strict';
import { once } from 'node:events';
import { newBadRequest } from '@apichain/meta';
import { everything } from '@apichain/storage';
import { base, Harness, widget } from '../installer.fixture.ts';
import { defineWidgets } from '../registry/widgets.fixture.ts';

describe('a watch over HTTP', () => {
  let server: Harness;
  beforeEach(async () => {
    server = await new Harness(defineWidgets(), { custom: true }).start();
  });
  afterEach(() => server.stop());

  it('streams changes and ends with the timeout', async () => {
    const response = await server.open('GET', `${base}?watch=true&timeoutSeconds=1`);
    assert.equal(response.headers['content-type'], 'application/json');
    await server.send('POST', base, widget('a'));
    await server.send('DELETE', `${base}/a`);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const events = Buffer.concat(chunks)
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    assert.deepEqual(events, ['ADDED', 'DELETED']);
  });

  it('sends nothing when its timeout passed before it began', async () => {
    await server.send('POST', base, widget('a'));
    const response = await server.open('GET', `${base}?watch=true&timeoutSeconds=-1`);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    assert.equal(Buffer.concat(chunks).length, 0);
  });

  it('ends without an event when custom resources are requested as lists', async () => {
    await server.send('POST', base, widget('a'));
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const response = await server.open('GET', `${base}?watch=true&timeoutSeconds=9&resourceVersion=0`, { accept });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    assert.equal(Buffer.concat(chunks).length, 0);
    assert.equal(response.complete, true);
  });

  it('reports why it cannot begin before it reports 406', async () => {
    const watch = () =>
      server.send('GET', `${base}?watch=true&timeoutSeconds=9`, undefined, { accept: 'application/yaml' });
    const refused = await watch();
    assert.equal(refused.status, 406);
    assert.match(refused.text, /application\/json;stream=watch/);
    server.widgets.storage.watch = () => Promise.reject(newBadRequest('no such version'));
    assert.match((await watch()).text, /no such version/);
  });

  it('leaves frames that do not retain larger buffers', async () => {
    const request = new AbortController();
    const response = await server.open('GET', `${base}?watch=true&timeoutSeconds=1`);
    const stream = await server.widgets.storage.watch('', {
      resourceVersion: '0',
      predicate: everything,
      allowWatchBookmarks: false,
      signal: request.signal,
    });
    await server.send('POST', base, widget('a'));
    const [event] = (await stream.next()) ?? [];
    await once(response, 'data');
    response.destroy();
    stream.stop();
    const frames = [...(event?.frames.values() ?? [])];
    assert.deepEqual(
      frames.map(({ buffer }) => buffer.byteLength),
      frames.map(({ length }) => length),
    );
    assert.equal(frames.length, 1);
  });

  it('reports an error during the stream to the log', async () => {
    const defect = new TypeError('a defect');
    server.widgets.storage.watch = () => Promise.resolve({ next: () => Promise.reject(defect), stop: () => undefined });
    const response = await server.open('GET', `${base}?watch=true`);
    await assert.rejects(response.toArray(), /aborted/);
    assert.deepEqual(server.thrown, [defect]);
  });
});
