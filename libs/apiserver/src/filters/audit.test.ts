import assert from 'node:assert/strict';
import type { Plain } from '@apichain/meta';
import { until } from '@apichain/meta/until.fixture';
import { noQuery } from '@apichain/request';
import { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { alwaysAllow } from '@apichain/authz';
import { AdmissionChain, type AdmissionPlugin } from '@apichain/admission';
import { createCustomResourceHandler } from '../installer.ts';
import { defineWidgets } from '../registry/widgets.fixture.ts';
import { RequestScope, ServerRuntime } from '@apichain/request';
import { call, installEcho, type CallOptions, type TestServer, TestServers } from '../server.fixture.ts';
import type { GenericApiServer } from '../server.ts';
import { AuditMetrics } from '@apichain/audit';
import { Audit } from '@apichain/audit';
import type { AuditBackend } from '@apichain/audit';
import { AuditPolicyEvaluator, type AuditPolicy } from '@apichain/audit';
import { headerOf, relayHeader, takeNotesOf } from '@apichain/audit';
import { RequestAudit } from '@apichain/request';

const servers = new TestServers();
const groupVersion = { group: 'test.example.com', version: 'v1' };
const widgets = '/apis/test.example.com/v1/namespaces/ns/widgets';

/** An audit event as read from the log. */
interface Seen extends Plain {
  readonly stage: string;
  readonly auditID: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly responseStatus?: Plain;
  readonly objectRef?: Plain;
  readonly requestObject?: Plain;
  readonly responseObject?: Plain;
}

class Recorder implements AuditBackend {
  readonly name = 'recorder';
  readonly events: Seen[] = [];
  isOpen = true;
  accepts: boolean | Promise<boolean> = true;
  process(events: Parameters<AuditBackend['process']>[0]): boolean | Promise<boolean> {
    this.events.push(...events.map(({ json }) => JSON.parse(json) as Seen));
    return this.accepts;
  }
  async close(): Promise<void> {
    this.isOpen = false;
  }
  take(): Seen[] {
    return this.events.splice(0);
  }
}

function auditing(policy: Partial<AuditPolicy> = {}): { recorder: Recorder; audit: Audit } {
  const recorder = new Recorder();
  const evaluator = new AuditPolicyEvaluator({ rules: [{ level: 'RequestResponse' }], ...policy });
  return { recorder, audit: new Audit(evaluator, recorder, new AuditMetrics()) };
}

/** A plugin that annotates requests, as webhooks and policies do. */
const noting: AdmissionPlugin = {
  name: 'Noting',
  handles: new Set(['CREATE', 'UPDATE', 'DELETE']),
  admit: (attributes) => {
    attributes.annotate?.('noting.example.com/seen', 'größe');
    attributes.annotate?.('patch.webhook.admission.k8s.io/round_0_index_0', '{}');
    attributes.annotate?.('not a key', '');
    if (attributes.name === 'slow') return delay(550);
    return undefined;
  },
};

function installWidgets(server: GenericApiServer): void {
  installEcho(server);
  const admission = new AdmissionChain([noting]);
  const defined = defineWidgets();
  const handler = createCustomResourceHandler(groupVersion, defined.defined.storagesOf(groupVersion), {
    authorizer: alwaysAllow,
    admission,
  });
  server.setGroupVersion(groupVersion, handler, [], { groupPriorityMinimum: 1, versionPriority: { v1: 1 } });
}

const widget = (name: string, rest: object = {}) => ({
  apiVersion: 'test.example.com/v1',
  kind: 'Widget',
  metadata: { name },
  ...rest,
});

const send = (target: TestServer, method: string, path: string, body?: unknown, more: CallOptions = {}) =>
  call(target, path, {
    method,
    as: servers.certificates.admin,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...more,
    headers: {
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(JSON.stringify(body))) }),
      ...more.headers,
    },
  });

const stages = (events: readonly Seen[]) => events.map(({ stage }) => stage);
const changing: ReadonlySet<string> = new Set(['auditID', 'requestReceivedTimestamp', 'stageTimestamp']);
const bare = (event: Seen | undefined) =>
  Object.fromEntries(Object.entries(event ?? {}).filter(([name]) => !changing.has(name)));

describe('auditing', () => {
  const start = async (policy?: Partial<AuditPolicy>) => {
    const { recorder, audit } = auditing(policy);
    const target = await servers.start({ audit }, installWidgets);
    return { recorder, target };
  };

  it('has events when a request is received and when its response is complete', async () => {
    const { recorder, target } = await start();
    const headers = { 'user-agent': 'the-test', 'audit-id': 'abc', 'x-forwarded-for': '10.1.2.3' };
    const response = await send(target, 'POST', widgets, widget('a', { spec: 1 }), { headers });
    assert.equal(response.status, 201);
    const [received, complete, ...others] = recorder.take();
    assert.deepEqual(others, []);
    const user = received?.['user'] as { extra: unknown };
    assert.deepEqual(bare(received), {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      stage: 'RequestReceived',
      requestURI: widgets,
      verb: 'create',
      user: { username: 'admin', groups: ['system:masters', 'system:authenticated'], extra: user.extra },
      sourceIPs: ['10.1.2.3', '127.0.0.1'],
      userAgent: 'the-test',
      objectRef: { resource: 'widgets', namespace: 'ns', apiGroup: 'test.example.com', apiVersion: 'v1' },
    });
    assert.deepEqual([received?.auditID, complete?.auditID], ['abc', 'abc']);
    assert.equal(received?.['stageTimestamp'], received?.['requestReceivedTimestamp']);
    assert.equal(complete?.stage, 'ResponseComplete');
    assert.equal(complete.objectRef?.['name'], 'a');
    assert.deepEqual(complete.responseStatus, { metadata: {}, code: 201 });
    assert.deepEqual(complete.requestObject, widget('a', { spec: 1 }));
    assert.deepEqual(complete.responseObject, response.json);
    assert.deepEqual(complete.annotations, {
      'authorization.k8s.io/decision': 'allow',
      'authorization.k8s.io/reason': '',
      'noting.example.com/seen': 'größe',
      'patch.webhook.admission.k8s.io/round_0_index_0': '{}',
    });
  });

  it('includes the data of its level', async () => {
    const { recorder, target } = await start({
      omitStages: ['RequestReceived'],
      rules: [
        { level: 'None', verbs: ['list'] },
        { level: 'Request', verbs: ['delete', 'patch'] },
        { level: 'Metadata', verbs: ['create', 'get'] },
        { level: 'RequestResponse', verbs: ['update'], omitManagedFields: true },
      ],
    });
    const fields = { managedFields: [{ manager: 'x', operation: 'Update' }] };
    await send(target, 'POST', widgets, widget('a'));
    await send(target, 'GET', `${widgets}/none`);
    await send(target, 'GET', widgets);
    await send(target, 'PUT', `${widgets}/a`, { ...widget('a'), metadata: { name: 'a', ...fields } });
    await send(
      target,
      'PATCH',
      `${widgets}/a`,
      { spec: 7 },
      { headers: { 'content-type': 'application/merge-patch+json' } },
    );
    await send(target, 'DELETE', `${widgets}/a`, { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 5 });
    const [created, missing, updated, patched, deleted, ...others] = recorder.take();
    assert.deepEqual(others, []);
    assert.equal(created?.requestObject, undefined);
    assert.deepEqual(Object.keys(created?.annotations ?? {}), [
      'authorization.k8s.io/decision',
      'authorization.k8s.io/reason',
      'noting.example.com/seen',
    ]);
    assert.deepEqual(missing?.responseStatus, {
      metadata: {},
      status: 'Failure',
      message: 'widgets.test.example.com "none" not found',
      reason: 'NotFound',
      details: { name: 'none', group: 'test.example.com', kind: 'widgets' },
      code: 404,
    });
    assert.equal(missing?.responseObject, undefined);
    assert.deepEqual(updated?.requestObject, widget('a'));
    assert.ok(!('managedFields' in (updated.responseObject?.['metadata'] as object)));
    assert.deepEqual(patched?.requestObject, { spec: 7 });
    assert.equal(patched.responseObject, undefined);
    assert.deepEqual(deleted?.requestObject, {
      kind: 'DeleteOptions',
      apiVersion: 'meta.k8s.io/__internal',
      gracePeriodSeconds: 5,
    });
    assert.equal(deleted.responseStatus?.['code'], 200);
  });

  it('includes impersonated, forbidden and anonymous users', async () => {
    const { recorder, target } = await start({ omitStages: ['RequestReceived'] });
    await send(target, 'GET', '/whoami', undefined, { headers: { 'impersonate-user': 'zoe' } });
    const [refused] = recorder.take();
    assert.deepEqual(refused?.['impersonatedUser'], { username: 'zoe', groups: ['system:authenticated'] });
    assert.deepEqual(refused['authenticationMetadata'], { impersonationConstraint: 'impersonate:user-info' });
    assert.equal((refused['user'] as Plain)['username'], 'admin');
    assert.deepEqual(
      [refused.responseStatus?.['code'], refused.annotations?.['authorization.k8s.io/decision']],
      [403, 'forbid'],
    );
    const unknown = await call(target, '/whoami', { headers: { authorization: 'Bearer wrong' } });
    assert.equal(unknown.status, 401);
    const [failed, ...others] = recorder.take();
    assert.deepEqual(others, []);
    assert.equal(failed?.stage, 'ResponseStarted');
    assert.deepEqual(failed['user'], {});
    assert.deepEqual(failed.responseStatus, {
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
  });

  it('has events when watches begin and end, and when handlers fail', async () => {
    const { recorder, target } = await start();
    const { admin } = servers.certificates;
    await new Promise<void>((resolve, reject) => {
      const options = { agent: false, rejectUnauthorized: false, cert: admin.certificate, key: admin.key };
      const request = https.get(`${target.url}${widgets}?watch=1`, options, (response) => {
        assert.deepEqual(stages(recorder.take()), ['RequestReceived', 'ResponseStarted']);
        response.destroy();
        response.once('close', resolve);
      });
      request.once('error', reject);
    });
    await until(() => recorder.events.length > 0);
    const [ended] = recorder.take();
    assert.equal(ended?.stage, 'ResponseComplete');
    assert.deepEqual(ended.responseStatus, { metadata: {}, code: 200 });
    assert.equal(ended.responseObject, undefined);
    assert.equal((await send(target, 'GET', '/throws')).status, 500);
    const panic = recorder.take();
    assert.deepEqual(stages(panic), ['RequestReceived', 'Panic']);
    assert.deepEqual(panic[1]?.responseStatus, {
      metadata: {},
      status: 'Failure',
      message: "APIServer panic'd: boom",
      reason: 'InternalError',
      code: 500,
    });
  });

  it('blocks requests on their events, and fails requests whose events are not stored', async () => {
    const { recorder, target } = await start();
    const stored = Promise.withResolvers<boolean>();
    recorder.accepts = stored.promise;
    const response = send(target, 'GET', '/whoami');
    await until(() => recorder.events.length > 0);
    assert.deepEqual(stages(recorder.take()), ['RequestReceived']);
    stored.resolve(true);
    assert.equal((await response).status, 200);
    assert.deepEqual(stages(recorder.take()), ['ResponseComplete']);
    recorder.accepts = false;
    const refused = await send(target, 'GET', '/whoami');
    assert.equal(refused.status, 500);
    assert.equal(refused.text, 'Internal Server Error: "/whoami": failed to store audit event\n');
    const { text } = await send(target, 'GET', '/metrics');
    assert.match(text, /^Internal Server Error/);
    recorder.accepts = true;
    const metrics = (await send(target, 'GET', '/metrics')).text;
    assert.match(metrics, /^apiserver_audit_requests_rejected_total 2$/m);
    assert.match(metrics, /^apiserver_audit_level_total\{level="RequestResponse"\} 4$/m);
  });

  it('closes the backend with the last server that uses it', async () => {
    const { recorder, audit } = auditing();
    const first = await servers.start({ audit });
    const second = await servers.start({ audit });
    await first.server.shutdown();
    assert.ok(recorder.isOpen);
    await second.server.shutdown();
    assert.ok(!recorder.isOpen);
  });
});

describe('auditing slow requests', () => {
  it('annotates the event with latencies', async () => {
    const { recorder, audit } = auditing();
    const target = await servers.start({ audit }, installWidgets);
    for (const [path, part] of [
      [widgets, 'serialize-response-object'],
      [`${widgets}?pretty=true`, 'transform-response-object'],
    ] as const) {
      await send(target, 'POST', path, widget('slow'));
      const annotations = Object.keys(recorder.take()[1]?.annotations ?? {});
      for (const name of [part, 'etcd', 'response-write', 'authentication', 'total'])
        assert.ok(annotations.includes(`apiserver.latency.k8s.io/${name}`), `${name}: ${annotations.join(', ')}`);
      await send(target, 'DELETE', `${widgets}/slow`);
      recorder.take();
    }
  });
});

describe('auditing in a chain', () => {
  const start = async () => {
    const last = await servers.start({}, installWidgets);
    const middle = await servers.start({ delegate: servers.linkTo(last) });
    const { recorder, audit } = auditing();
    const target = await servers.start({ audit, delegate: servers.linkTo(middle) });
    return { recorder, target, last };
  };

  it('has one event a stage, with the data of the server that served the request', async () => {
    const { recorder, target } = await start();
    const response = await send(target, 'POST', widgets, widget('a'));
    assert.equal(response.status, 201);
    assert.equal(response.headers['x-apichain-audit'], undefined);
    const created = recorder.take();
    assert.deepEqual(stages(created), ['RequestReceived', 'ResponseComplete']);
    const [, complete] = created;
    assert.equal(complete?.auditID, response.headers['audit-id']);
    assert.equal(complete?.objectRef?.['name'], 'a');
    assert.deepEqual(complete.requestObject, widget('a'));
    assert.deepEqual(complete.responseObject, response.json);
    assert.equal(complete.annotations?.['noting.example.com/seen'], 'größe');

    const pretty = await send(target, 'GET', `${widgets}/a?pretty=true`);
    assert.deepEqual(recorder.take()[1]?.responseObject, pretty.json);
    const yaml = await send(target, 'GET', `${widgets}/a`, undefined, { headers: { accept: 'application/yaml' } });
    assert.match(yaml.text, /^apiVersion/);
    assert.deepEqual(recorder.take()[1]?.responseObject, pretty.json);
    const list = await send(target, 'GET', widgets);
    assert.equal(list.headers['x-apichain-audit'], undefined);
    assert.deepEqual(recorder.take()[1]?.responseObject, list.json);
    await send(target, 'GET', `${widgets}/none`);
    assert.equal(recorder.take()[1]?.responseStatus?.['reason'], 'NotFound');
    assert.equal((await send(target, 'GET', '/throws')).status, 500);
    assert.deepEqual(stages(recorder.take()), ['RequestReceived', 'Panic']);
  });

  it('forwards data up to the size limit of bodies', async () => {
    const { recorder, target } = await start();
    const spec = 'ü'.repeat(700_000);
    assert.equal((await send(target, 'POST', widgets, widget('big', { spec }))).status, 201);
    assert.equal(recorder.take()[1]?.requestObject?.['spec'], spec);
  });

  it('compresses large data', () => {
    const json = JSON.stringify(widget('big', { spec: 'ab'.repeat(400_000) }));
    const audit = new RequestAudit('Request');
    audit.logRequestObject({}, () => json);
    const header = headerOf(audit, undefined);
    assert.ok(header.length < 10_000, String(header.length));
    const taken = new RequestAudit('Request');
    const request = new IncomingMessage(new Socket());
    const scope = new RequestScope(request, new ServerResponse(request), '/', noQuery, new ServerRuntime());
    scope.audit = taken;
    takeNotesOf(scope, [relayHeader, header]);
    assert.equal(taken.requestObject, json);
  });

  it('sends no audit data to clients', async () => {
    const { target, last } = await start();
    const headers = { 'x-apichain-audit': 'Request' };
    for (const server of [target, last]) {
      const response = await send(server, 'POST', widgets, widget('a'), { headers });
      assert.equal(response.headers['x-apichain-audit'], undefined);
    }
  });
});
