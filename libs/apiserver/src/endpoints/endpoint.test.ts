import assert from 'node:assert/strict';
import { alwaysAllow } from '@apichain/authz';
import { openTracer, type Tracer } from '@apichain/client';
import { SpanCollector } from '../filters/span-collector.fixture.ts';
import { createGroupVersionHandler } from '../installer.ts';
import { defineWidgets } from '../registry/widgets.fixture.ts';
import { call, TestServers } from '../server.fixture.ts';

describe('spans of endpoints', () => {
  const servers = new TestServers();
  const collector = new SpanCollector();
  let tracer: Tracer;

  before(async () => {
    await collector.start();
    tracer = await openTracer({
      endpoint: collector.endpoint,
      samplingRatePerMillion: 1_000_000,
      resource: { 'service.name': 'apiserver' },
      onError: (error) => assert.fail(error),
    });
  });
  after(() => collector.stop());

  it('have the names and the events of kube-apiserver', async () => {
    const groupVersion = { group: 'test.example.com', version: 'v1' };
    const target = await servers.start({ tracer }, (server) => {
      const storages = defineWidgets().defined.storagesOf(groupVersion);
      const handler = createGroupVersionHandler(groupVersion, storages, { authorizer: alwaysAllow });
      server.setGroupVersion(groupVersion, handler, [], { groupPriorityMinimum: 1, versionPriority: {} });
    });
    const { admin: as } = servers.certificates;
    const widgets = '/apis/test.example.com/v1/namespaces/ns/widgets';
    const widget = { apiVersion: 'test.example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: {} };
    const headers = { 'content-type': 'application/json' };
    const send = async (method: string, path: string, body?: object, more: Record<string, string> = {}) => {
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await call(target, path, { as, method, headers: { ...headers, ...more }, ...text });
      assert.ok(response.status < 300, response.text);
    };
    await send('POST', widgets, widget);
    await send('GET', `${widgets}/a`);
    await send('GET', widgets);
    await send('PATCH', `${widgets}/a`, {}, { 'content-type': 'application/merge-patch+json' });
    await send('GET', `${widgets}?watch=true&timeoutSeconds=1`);
    await send('DELETE', `${widgets}/a`);
    await tracer.close();
    const { spans } = collector;
    const requests = new Map(
      spans.filter(({ parentSpanId }) => parentSpanId === '').map((span) => [span.spanId, span]),
    );
    const parts = ['authentication', 'authorization'];
    const handlers = spans.filter(({ name, parentSpanId }) => requests.has(parentSpanId) && !parts.includes(name));
    assert.deepEqual(handlers.map(({ name }) => name).sort(), ['Create', 'Delete', 'Get', 'List', 'Patch']);
    const create = handlers.find(({ name }) => name === 'Create');
    assert.deepEqual(create?.events, [
      'limitedReadBody succeeded',
      'About to store object in database',
      'Write to database call succeeded',
      'About to write a response',
      'Writing http response done',
    ]);
    const serialized = spans.filter(({ name }) => name === 'SerializeObject');
    assert.equal(serialized.length, 5);
    const [first] = serialized.filter(({ parentSpanId }) => parentSpanId === create?.spanId);
    assert.deepEqual(first?.events, ['About to start writing response', 'Write call succeeded']);
  });
});
