import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AdmissionChain, type AdmissionPlugin } from '@apichain/admission';
import { alwaysAllow } from '@apichain/authz';
import { createLogger, timesHeader, type RequestObserver, type RequestRecord } from '@apichain/request';
import { until } from '@apichain/meta/until.fixture';
import { createCustomResourceHandler } from '../installer.ts';
import { requestLog } from '../options/request-log.ts';
import { defineWidgets } from '../registry/widgets.fixture.ts';
import { call, installEcho, type TestServer, TestServers } from '../server.fixture.ts';
import type { GenericApiServer } from '../server.ts';

const servers = new TestServers();
const groupVersion = { group: 'test.example.com', version: 'v1' };
const widgets = '/apis/test.example.com/v1/namespaces/ns/widgets';
const slowMs = 40;

const slowly: AdmissionPlugin = {
  name: 'Slowly',
  handles: new Set(['CREATE']),
  admit: () => delay(slowMs),
};

function installWidgets(server: GenericApiServer): void {
  installEcho(server);
  const storages = defineWidgets().defined.storagesOf(groupVersion);
  const admission = new AdmissionChain([slowly]);
  const handler = createCustomResourceHandler(groupVersion, storages, { authorizer: alwaysAllow, admission });
  server.setGroupVersion(groupVersion, handler, [], { groupPriorityMinimum: 1, versionPriority: { v1: 1 } });
}

/** A client has its response before the record is made. */
async function next(records: RequestRecord[]): Promise<RequestRecord> {
  await until(() => records.length > 0);
  return records.shift() ?? assert.fail();
}

describe('records of requests', () => {
  async function start() {
    const records: RequestRecord[] = [];
    const last = await servers.start({ name: 'last' }, installWidgets);
    const middle = await servers.start({ name: 'middle', delegate: servers.linkTo(last) });
    const requestObservers = [{ finished: (record: RequestRecord) => void records.push(record) }];
    const first = await servers.start({ name: 'first', delegate: servers.linkTo(middle), requestObservers });
    return { records, first, middle, last };
  }

  const create = (target: TestServer, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({ apiVersion: 'test.example.com/v1', kind: 'Widget', metadata: { name: 'a' } });
    const length = { 'content-length': String(body.length) };
    const all = { 'user-agent': 'the-test', ...length, ...headers };
    return call(target, `${widgets}?dryRun=All`, {
      method: 'POST',
      body,
      headers: all,
      as: servers.certificates.admin,
    });
  };

  it('name the services that a request passed, with the times of their parts', async () => {
    const { records, first } = await start();
    const before = Date.now();
    const response = await create(first);
    assert.equal(response.status, 201);
    const { services, ...record } = await next(records);
    assert.deepEqual(
      { ...record, milliseconds: 0, receivedAt: 0 },
      {
        auditID: response.headers['audit-id'],
        receivedAt: 0,
        milliseconds: 0,
        user: 'admin',
        userAgent: 'the-test',
        verb: 'create',
        method: 'POST',
        uri: `${widgets}?dryRun=All`,
        resource: {
          group: 'test.example.com',
          version: 'v1',
          resource: 'widgets',
          subresource: '',
          namespace: 'ns',
          name: '',
        },
        code: 201,
        answeredBy: 'last',
      },
    );
    assert.ok(record.receivedAt >= before && record.receivedAt <= Date.now());
    assert.ok(record.milliseconds >= slowMs);
    const names = services.map(({ service }) => service);
    assert.deepEqual(names, ['first', 'middle', 'last']);
    const [outer, , inner] = services;
    const early = outer?.parts.map(({ name }) => name) ?? [];
    for (const part of ['authentication', 'authorization']) assert.ok(early.includes(part), early.join(' '));
    const admission = inner?.parts.find(({ name }) => name === 'mutating-admission');
    assert.ok(admission !== undefined && admission.milliseconds >= slowMs - 1, JSON.stringify(inner));
    // Each service begins after the one before it, and what it did lies within the whole.
    for (const [index, { start, milliseconds, parts }] of services.entries()) {
      assert.ok(start >= (services[index - 1]?.start ?? 0));
      assert.ok(start + milliseconds <= record.milliseconds + 1);
      for (const part of parts) assert.ok(part.start >= start - 1 && part.milliseconds >= 0, JSON.stringify(services));
    }
  });

  it('keep little of a request, however large its head is', async () => {
    const { records, first } = await start();
    const large = 'x'.repeat(500_000);
    const requests = 40;
    const measured: number[] = [];
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heapNow = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    for (let at = 0; at < requests; at++) {
      const name = `a-name-that-is-long-enough-${at}`;
      await call(first, `${widgets}/${name}?labelSelector=${large}`, {
        as: servers.certificates.admin,
        headers: { 'user-agent': `${large.slice(0, 300_000)}${at}`, 'audit-id': `${large.slice(0, 8_000)}${at}` },
      });
      if (at === 1) measured.push(heapNow());
    }
    measured.push(heapNow());
    const [before = 0, after = 0] = measured;
    assert.equal(records.length, requests);
    for (const [at, { resource, uri, userAgent, auditID }] of records.entries()) {
      assert.equal(resource?.name, `a-name-that-is-long-enough-${at}`);
      assert.deepEqual([uri.length, userAgent.length, auditID.length], [2048, 2048, 2048]);
    }
    assert.ok(after - before < (requests * large.length) / 4, `${after - before} bytes more`);
  });

  it('are made by the first service only, and leave nothing in the response', async () => {
    const { records, first, middle } = await start();
    for (const target of [first, middle]) {
      const response = await create(target, { [timesHeader]: '1' });
      assert.equal(response.headers[timesHeader.toLowerCase()], undefined);
    }
    assert.equal((await next(records)).code, 201);
    await delay(20);
    assert.deepEqual(records, []);
  });

  it('tell who answered, and what was refused', async () => {
    const { records, first, last } = await start();
    await call(first, '/whoami', { as: servers.certificates.bob });
    const refused = await next(records);
    assert.deepEqual([refused.code, refused.user, refused.answeredBy], [403, 'bob', 'first']);
    assert.deepEqual([refused.verb, refused.uri, refused.resource], ['get', '/whoami', undefined]);
    await call(first, '/nowhere', { as: servers.certificates.admin });
    const unknown = await next(records);
    assert.deepEqual([unknown.code, unknown.answeredBy], [404, 'last']);
    await last.server.shutdown();
    await call(first, '/nowhere', { as: servers.certificates.admin });
    const away = await next(records);
    assert.deepEqual([away.code, away.answeredBy], [503, 'middle']);
  });

  it('tell of a watch when it begins and when it ends, and of one that is refused once', async () => {
    const records: [string, RequestRecord][] = [];
    const observer: RequestObserver = {
      opened: (record) => void records.push(['opened', record]),
      finished: (record) => void records.push(['finished', record]),
    };
    const last = await servers.start({ name: 'last' }, installWidgets);
    const first = await servers.start({ name: 'first', delegate: servers.linkTo(last), requestObservers: [observer] });
    const kept = 300;
    const path = `${widgets}?watch=true&timeoutSeconds=`;
    const watch = call(first, `${path}1`, { as: servers.certificates.admin });
    await until(() => records.length > 0);
    const [[event, opening] = []] = records.splice(0);
    assert.deepEqual(
      [event, opening?.isOpen, opening?.verb, opening?.code, opening?.answeredBy, opening?.user],
      ['opened', true, 'watch', 200, 'last', 'admin'],
    );
    await watch;
    await until(() => records.length > 0);
    const [[end, ending] = []] = records.splice(0);
    assert.deepEqual([end, ending?.isOpen, ending?.auditID], ['finished', false, opening?.auditID]);
    assert.ok((ending?.milliseconds ?? 0) > (opening?.milliseconds ?? 0) + kept, JSON.stringify([opening, ending]));
    await call(first, `${path}x`, { as: servers.certificates.admin });
    await call(first, widgets, { as: servers.certificates.admin });
    await until(() => records.length >= 2);
    const others = records.map(([what, { code, isOpen }]) => [what, code, isOpen]);
    assert.deepEqual(others, [
      ['finished', 400, undefined],
      ['finished', 200, undefined],
    ]);
  });

  it('are lines of the log, without probes that succeed', async () => {
    const lines: string[] = [];
    const observer = requestLog(createLogger('first', 0, { write: (line: string) => lines.push(line) }));
    const target = await servers.start({ name: 'first', requestObservers: [observer] }, installEcho);
    for (const path of ['/livez/ping', '/readyz?verbose', '/whoami'])
      await call(target, path, { as: servers.certificates.admin });
    await until(() => lines.length > 0);
    const [line = '', ...others] = lines;
    assert.deepEqual(others, []);
    const { level, name, msg, request } = JSON.parse(line) as { request: RequestRecord } & Record<string, unknown>;
    assert.deepEqual([level, name, msg, request.uri, request.code], [30, 'first', 'request', '/whoami', 200]);
  });
});
