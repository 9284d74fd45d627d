import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RequestRecord } from '@apichain/request';
import { until } from '@apichain/meta/until.fixture';
import { crd, TestChains } from './chain.fixture.ts';

interface WatchLine {
  readonly object: { readonly metadata: { readonly resourceVersion: string } };
}

describe('records of requests to a chain in one process', () => {
  const chains = new TestChains();

  it('name the services and the work of each', async () => {
    const records: RequestRecord[] = [];
    const pem = (name: string) => readFileSync(join(chains.directory, name));
    const requestObservers = [{ finished: (record: RequestRecord) => void records.push(record) }];
    await chains.run(
      [],
      async ({ port }) => {
        const send = (method: string, path: string, body?: unknown) =>
          new Promise<{ readonly code: number; readonly text: string }>((resolve, reject) => {
            const tls = { ca: pem('ca.crt'), cert: pem('admin.crt'), key: pem('admin.key') };
            const headers = { 'content-type': 'application/json' };
            const options = { host: '127.0.0.1', port, method, path, headers, agent: false, ...tls };
            const request = https.request(options, (response) => {
              text(response).then((received) => resolve({ code: response.statusCode ?? 0, text: received }), reject);
            });
            request.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
          });
        const recorded = async (method: string, path: string, body?: unknown) => {
          records.length = 0;
          const { code } = await send(method, path, body);
          await until(() => records.length > 0);
          const [record] = records;
          assert.ok(record !== undefined && records.length === 1, JSON.stringify(records));
          assert.deepEqual([record.code, record.uri, record.user], [code, path, 'kubernetes-admin']);
          return record;
        };
        const read = async (path: string) => {
          records.length = 0;
          const received = await send('GET', path);
          await until(() => records.length > 0);
          return received.text;
        };
        const services = (record: RequestRecord) => record.services.map(({ service }) => service);
        const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
        const core = await recorded('POST', '/api/v1/namespaces/default/configmaps', configMap);
        assert.deepEqual([core.code, core.answeredBy, services(core)], [201, 'kube-core', ['aggregator', 'kube-core']]);
        const parts = core.services[1]?.parts.map(({ name }) => name) ?? [];
        for (const part of ['mutating-admission', 'etcd']) assert.ok(parts.includes(part), parts.join(' '));
        // What a request has stored and deleted has the resourceVersion of the object, and of the event of a watch.
        const wrote = async (method: string, path: string, body?: unknown) =>
          (await recorded(method, path, body)).services.flatMap(({ wrote: revisions = [] }) => revisions);
        const path = '/api/v1/namespaces/default/configmaps';
        const [created = 0, ...others] = core.services.flatMap(({ wrote: revisions = [] }) => revisions);
        const watched = `${path}?watch=1&timeoutSeconds=1&resourceVersion=${created - 1}`;
        assert.deepEqual(others, []);
        assert.deepEqual(await wrote('POST', `${path}?dryRun=All`, { ...configMap, metadata: { name: 'b' } }), []);
        const [changed = 0] = await wrote('PUT', `${path}/a`, { ...configMap, data: { a: 'b' } });
        const [deleted = 0] = await wrote('DELETE', `${path}/a`);
        assert.deepEqual(await wrote('GET', path), []);
        const events = (await read(watched)).trim().split('\n');
        assert.deepEqual(
          events.map((line) => (JSON.parse(line) as WatchLine).object.metadata.resourceVersion),
          [created, changed, deleted].map(String),
        );
        const extension = await recorded('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
        assert.deepEqual([extension.code, extension.answeredBy], [201, 'apiextensions']);
        assert.deepEqual(services(extension), ['aggregator', 'kube-core', 'apiextensions']);
        const own = await recorded('GET', '/apis/apiregistration.k8s.io/v1/apiservices?limit=1');
        assert.deepEqual([own.verb, own.answeredBy, services(own)], ['list', 'aggregator', ['aggregator']]);
      },
      chains.etcd,
      { requestObservers },
    );
  });
});
