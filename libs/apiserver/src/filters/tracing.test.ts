import assert from 'node:assert/strict';
import { openTracer, type Tracer } from '@apichain/client';
import { alwaysAllow } from '@apichain/authz';
import {
  call,
  createTestServer,
  installEcho,
  startTestServer,
  TestServers,
  type TestServer,
} from '../server.fixture.ts';
import { HttpDelegationTarget, InProcessDelegationTarget } from '@apichain/delegation';
import { storageMetrics } from '@apichain/observability';
import { apiServerId, scopeOf, type RequestRecord } from '@apichain/request';
import { FlagError } from '@apichain/apiserver-options';
import { parseTracingConfiguration } from '@apichain/apiserver-options';
import { SpanCollector, type ReceivedSpan } from './span-collector.fixture.ts';

const servers = new TestServers();
describe('tracing', () => {
  const collector = new SpanCollector();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  let tracer: Tracer;

  before(() => collector.start());
  after(() => collector.stop());

  async function open(samplingRatePerMillion: number): Promise<Tracer> {
    tracer = await openTracer({
      endpoint: collector.endpoint,
      samplingRatePerMillion,
      resource: { 'service.name': 'apiserver' },
      onError: (error) => assert.fail(error),
    });
    return tracer;
  }

  /** The spans recorded since the last call. */
  async function recorded(): Promise<ReceivedSpan[]> {
    await tracer.close();
    return collector.spans.splice(0);
  }

  const withTraceparent = (server: Parameters<typeof installEcho>[0]): void => {
    installEcho(server);
    server.paths.handle('/told', (_context, request, response) => {
      storageMetrics(server.metrics).etcdRequests('pods')('get', 0.001, false);
      response.end(String(request.headers['traceparent'] ?? 'nothing'));
    });
  };
  const start = (more: Partial<TestServer['server']['config']>) => servers.start(more, withTraceparent);

  it('continues the trace of privileged clients, with a span for each etcd call', async () => {
    const target = await start({ tracer: await open(0) });
    const { text } = await call(target, '/told', { as: servers.certificates.admin, headers: { traceparent } });
    assert.match(text, new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    const spans = await recorded();
    assert.deepEqual(
      spans.map(({ name }) => name),
      ['authentication', 'authorization', 'etcdserverpb.KV/Range', 'GET'],
    );
    const [authentication, authorization, etcd, request] = spans;
    assert.equal(request?.parentSpanId, 'b7ad6b7169203331');
    for (const part of [authentication, authorization, etcd]) assert.equal(part?.parentSpanId, request.spanId);
    assert.ok(text.includes(request.spanId));
  });

  it('starts new traces for other clients, at the sampling rate', async () => {
    const allow = alwaysAllow;
    const always = await start({ tracer: await open(1_000_000), authorizer: allow });
    const { text } = await call(always, '/told', { as: servers.certificates.bob, headers: { traceparent } });
    const request = (await recorded()).at(-1);
    assert.notEqual(request?.traceId, traceId);
    assert.equal(request?.link, traceId);
    assert.equal(request.parentSpanId, '');
    assert.ok(text.includes(request.traceId));
    const never = await start({ tracer: await open(0), authorizer: allow });
    const told = await call(never, '/told', { as: servers.certificates.bob, headers: { traceparent } });
    assert.match(told.text, /-00$/);
    assert.deepEqual(await recorded(), []);
  });

  it('names spans by URL pattern, and continues along the chain', async () => {
    const next = await start({ tracer: await open(0) });
    const first = tracer;
    const frontProxy = servers.certificates.frontProxy;
    const delegate = new HttpDelegationTarget({
      url: next.url,
      ca: servers.certificates.ca.certificate,
      clientCertificate: frontProxy.certificate,
      clientKey: frontProxy.key,
    });
    const entry = await startTestServer(servers.certificates, { tracer: await open(1_000_000), delegate });
    const { text } = await call(entry, '/told', { as: servers.certificates.admin });
    await call(entry, '/api/v1/namespaces/a/pods/b/status', { as: servers.certificates.admin });
    await entry.server.shutdown();
    await first.close();
    const spans = await recorded();
    const names = spans.map(({ name }) => name);
    const pattern = 'GET /api/v1/namespaces/{:namespace}/pods/{:name}/status';
    assert.deepEqual(names.filter((name) => name === pattern).length, 2);
    const parents = spans.filter(({ parentSpanId }) => parentSpanId === '');
    assert.equal(parents.length, 2);
    const told = spans.filter((span) => text.includes(span.traceId)).map(({ name }) => name);
    const parts = ['authentication', 'authentication', 'authorization', 'etcdserverpb.KV/Range'];
    assert.deepEqual(told.sort(), ['GET', 'GET', ...parts]);
  });

  it('has a span for each service and each part that the record of the request has', async () => {
    const records: RequestRecord[] = [];
    const last = createTestServer(servers.certificates, { name: 'last' }).server;
    last.paths.handle('/worked', (_context, request, response) => {
      const { track } = scopeOf(request);
      for (const part of ['etcd', 'validating-admission', 'serialize-response-object'] as const) track?.(part, 2);
      response.end();
    });
    const first = await servers.start({
      tracer: await open(1_000_000),
      delegate: new InProcessDelegationTarget(last),
      requestObservers: [{ finished: (record) => void records.push(record) }],
    });
    await call(first, '/worked', { as: servers.certificates.admin });
    const spans = await recorded();
    await last.shutdown();
    const services = records.flatMap((record) => record.services);
    const parts = services.flatMap((service) => service.parts.map(({ name }) => name));
    const inner = services.slice(1).map(({ service }) => service);
    assert.deepEqual(spans.map(({ name }) => name).sort(), [...parts, ...inner, 'GET'].sort());
    const named = (name: string) => spans.find((span) => span.name === name);
    assert.equal(named('etcd')?.parentSpanId, named('last')?.spanId);
    assert.equal(named('authorization')?.parentSpanId, named('GET')?.spanId);
  });

  it('keeps the traceparent header when tracing is disabled', async () => {
    const target = await start({});
    const { text } = await call(target, '/told', { as: servers.certificates.admin, headers: { traceparent } });
    assert.equal(text, traceparent);
    await createTestServer(servers.certificates).server.shutdown();
  });

  it('is configured as in kube-apiserver', () => {
    const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n';
    assert.deepEqual(parseTracingConfiguration(`${head}samplingRatePerMillion: 100\nendpoint: collector:4317`), {
      endpoint: 'collector:4317',
      samplingRatePerMillion: 100,
    });
    assert.deepEqual(parseTracingConfiguration(head), { endpoint: 'localhost:4317', samplingRatePerMillion: 0 });
    const invalid = 'failed to validate tracing configuration:';
    for (const [text, message] of [
      [
        `${head}samplingRatePerMillion: -1`,
        `${invalid} samplingRatePerMillion: Invalid value: -1: sampling rate must be positive`,
      ],
      [`${head}samplingRatePerMillion: 1000001`, /less than or equal to one million$/],
      [
        `${head}endpoint: http://collector`,
        /unsupported scheme: http\. {2}Options are none, dns, unix, or unix-abstract/,
      ],
      [`${head}rate: 1`, /strict decoding error: unknown field "rate"$/],
      ['apiVersion: v1\nkind: Pod', /no kind "Pod" is registered for version "v1"$/],
    ] as const) {
      assert.throws(
        () => parseTracingConfiguration(text),
        (error) =>
          error instanceof FlagError &&
          (typeof message === 'string' ? error.message === message : message.test(error.message)),
        text,
      );
    }
  });
});

describe('the identity of a server', () => {
  it('depends on its host name', () => {
    assert.match(apiServerId('a'), /^apiserver-[a-z2-7]{26}$/);
    assert.equal(apiServerId('a'), apiServerId('a'));
    assert.notEqual(apiServerId('a'), apiServerId('b'));
  });
});
