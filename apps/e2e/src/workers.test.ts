import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { until } from '@apichain/meta/until.fixture';
import { type Chain, startChain } from './chain.ts';
import { definitionOf } from './definitions.ts';
import { call } from './http.ts';

const services = ['aggregator', 'kube-core', 'apiextensions'] as const;
const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({
  body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }),
});

/** The processes that a process has started. */
const childrenOf = (pid = 0): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** The sum of the samples of a metric whose labels have these texts. */
const sumOf = (metrics: string, name: string, ...labels: readonly string[]): number =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);

/** Requests one after the other until `stop`. */
class Requests {
  readonly statuses: number[] = [];
  readonly #done: Promise<void>;
  #running = true;

  constructor(send: (count: number) => Promise<number>) {
    this.#done = (async () => {
      for (let count = 0; this.#running; count++) this.statuses.push(await send(count));
    })();
  }

  async stop(): Promise<readonly number[]> {
    this.#running = false;
    await this.#done;
    return this.statuses;
  }
}

describe('services with several workers', () => {
  let chain: Chain;
  before(async () => {
    chain = await startChain({ args: ['--workers=2'] });
  });
  after(() => chain.stop());

  const workersOf = (service: (typeof services)[number]) => childrenOf(chain.pids()[service]);
  /** The status of a request over a connection of its own; 0 when the connection broke. */
  const statusOf = (method: string, path: string, body?: { readonly body: string }) =>
    call(chain, method, path, body).then(
      ({ status }) => status,
      () => 0,
    );

  it('run in two processes each, as the chain says', () => {
    assert.match(chain.output(), /ready at \S+ \([\d.]+ s, 2 workers for each service\)/);
    for (const service of services) assert.equal(workersOf(service).length, 2, service);
  });

  it('serve what was defined through another worker', async () => {
    for (let round = 0; round < 3; round++) {
      const crd = definitionOf(`round${round}.example.com`, 'Widget');
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await call(chain, 'POST', path, { body: JSON.stringify(crd) });
      await until(async () => {
        const { text } = await call(chain, 'GET', `${path}/${crd.metadata.name}`);
        return /"type": ?"Established",\s*"status": ?"True"|"status": ?"True",[^}]*"type": ?"Established"/.test(text);
      });
      const widgets = `/apis/round${round}.example.com/v1/namespaces/default/widgets`;
      const all = await Promise.all(Array.from({ length: 8 }, () => statusOf('GET', widgets)));
      assert.deepEqual([...new Set(all)], [200]);
    }
  });

  it('have the metrics of one server', async () => {
    const requests = 12;
    for (let i = 0; i < requests; i++) await statusOf('GET', '/apis/storage.k8s.io/v1/csidrivers/none');
    const { text } = await call(chain, 'GET', '/metrics');
    assert.equal(sumOf(text, 'apiserver_request_total', 'resource="csidrivers"', 'code="404"'), requests);
    for (const worker of [1, 2])
      assert.ok(sumOf(text, 'process_resident_memory_bytes', `worker="${worker}"`) > 0, `worker ${worker}`);
  });

  it('go on when a worker is killed', async () => {
    for (const service of services) {
      const [killed = 0, other] = workersOf(service);
      process.kill(killed, 'SIGKILL');
      await until(() => workersOf(service).length === 2 && !workersOf(service).includes(killed));
      assert.ok(workersOf(service).includes(other ?? 0), service);
      await until(() => chain.log(service).includes('(signal SIGKILL) and was started again'));
    }
    await until(async () => (await call(chain, 'GET', '/readyz')).status === 200);
    assert.equal(await statusOf('GET', configMaps), 200);
  });

  it('lose no request when all workers are replaced', async () => {
    const reads = new Requests(() => statusOf('GET', configMaps));
    const writes = new Requests((count) => statusOf('POST', configMaps, configMap(`w${count}`)));
    for (const service of services) {
      const before = workersOf(service);
      process.kill(chain.pids()[service] ?? 0, 'SIGHUP');
      await until(() => chain.log(service).includes('all workers were replaced'));
      assert.deepEqual(
        workersOf(service).filter((pid) => before.includes(pid)),
        [],
      );
    }
    assert.deepEqual([...new Set(await reads.stop())], [200]);
    assert.deepEqual([...new Set(await writes.stop())], [201]);
    const { items } = (await call(chain, 'GET', configMaps)).json<{ items: { metadata: { name: string } }[] }>();
    const names = new Set(items.map(({ metadata }) => metadata.name));
    assert.ok(writes.statuses.every((_status, count) => names.has(`w${count}`)));
  });
});

describe('a chain in one process with several workers', () => {
  let directory: string;
  let chain: Chain;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-workers-'));
    const policy = join(directory, 'policy.yaml');
    writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
    chain = await startChain({
      args: [
        '--in-process',
        '--workers=2',
        `--console-port=${await freePort()}`,
        `--audit-policy-file=${policy}`,
        `--audit-log-path=${join(directory, 'audit.log')}`,
      ],
    });
  });
  after(async () => {
    await chain.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('has its store in a process of its own', () => {
    assert.deepEqual(Object.keys(chain.pids()).sort(), ['chain', 'controllers', 'etcd']);
    assert.equal(childrenOf(chain.pids()['chain']).length, 2);
  });

  it('gives codes for its console through every worker', async () => {
    const codes = await Promise.all(Array.from({ length: 4 }, () => call(chain, 'POST', '/console/codes')));
    for (const code of codes) {
      assert.equal(code.status, 201);
      const [page = '', secret] = code.json<{ url: string }>().url.split('#code=');
      const session = await fetch(`${page}console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: page.slice(0, -1) },
        body: JSON.stringify({ code: secret }),
      });
      assert.equal(session.status, 200, await session.text());
    }
  });

  it('audits every request once', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `audited-${i}`);
    await Promise.all(names.map((name) => call(chain, 'GET', `${configMaps}/${name}`)));
    const logged = () =>
      readFileSync(join(directory, 'audit.log'), 'utf8')
        .split('\n')
        .filter((line) => line.includes('/audited-') && line.includes('"ResponseComplete"'))
        .map((line) => (JSON.parse(line) as { objectRef: { name: string } }).objectRef.name);
    await until(() => logged().length >= names.length);
    assert.deepEqual(logged().sort(), names.sort());
  });
});
