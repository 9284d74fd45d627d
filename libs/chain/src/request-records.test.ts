import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import type { RequestRecord } from '@apichain/request';
import { until } from '@apichain/meta/until.fixture';
import { crd, TestChains } from './chain.fixture.ts';

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
          new Promise<number>((resolve, reject) => {
            const tls = { ca: pem('ca.crt'), cert: pem('admin.crt'), key: pem('admin.key') };
            const headers = { 'content-type': 'application/json' };
            const options = { host: '127.0.0.1', port, method, path, headers, agent: false, ...tls };
            const request = https.request(options, (response) => {
              response.resume().once('end', () => resolve(response.statusCode ?? 0));
            });
            request.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
          });
        const recorded = async (method: string, path: string, body?: unknown) => {
          records.length = 0;
          const code = await send(method, path, body);
          await until(() => records.length > 0);
          const [record] = records;
          assert.ok(record !== undefined && records.length === 1, JSON.stringify(records));
          assert.deepEqual([record.code, record.uri, record.user], [code, path, 'kubernetes-admin']);
          return record;
        };
        const services = (record: RequestRecord) => record.services.map(({ service }) => service);
        const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
        const core = await recorded('POST', '/api/v1/namespaces/default/configmaps', configMap);
        assert.deepEqual([core.code, core.answeredBy, services(core)], [201, 'kube-core', ['aggregator', 'kube-core']]);
        const parts = core.services[1]?.parts.map(({ name }) => name) ?? [];
        for (const part of ['mutating-admission', 'etcd']) assert.ok(parts.includes(part), parts.join(' '));
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
