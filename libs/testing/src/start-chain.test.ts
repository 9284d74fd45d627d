import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { call, type CallResult } from './call.fixture.ts';
import { startChain } from './start-chain.ts';
import { type TestChain } from './test-chain.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const crd = (plural: string, kind: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

const namesOf = ({ json }: CallResult): string[] =>
  (json['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

describe('startChain', () => {
  let chain: TestChain;
  before(async () => {
    chain = await startChain({
      crds: [crd('things', 'Thing')],
      users: [{ name: 'alice', groups: ['system:masters'] }],
    });
  });
  after(() => chain.stop());

  it('is reached with client-node by object, text and file', async () => {
    for (const load of [
      (config: KubeConfig) => config.loadFromOptions(chain.adminConfig),
      (config: KubeConfig) => config.loadFromString(chain.kubeconfig),
      (config: KubeConfig) => config.loadFromFile(chain.kubeconfigFile),
    ]) {
      const config = new KubeConfig();
      load(config);
      const { items } = await config.makeApiClient(CoreV1Api).listNamespace();
      assert.ok(items.some(({ metadata }) => metadata?.name === 'kube-system'));
    }
  });

  it('allows privileged containers, unless its flags forbid them', async () => {
    const deployment = (privileged: boolean) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `privileged-${privileged}`, namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged } }] },
        },
      },
    });
    await chain.apply(deployment(true));
    const strict = await startChain({ flags: ['--allow-privileged=false'] });
    try {
      await strict.apply(deployment(false));
      await assert.rejects(
        strict.apply(deployment(true)),
        /spec\.template\.spec\.containers\[0\]\.securityContext\.privileged: Forbidden: disallowed by cluster policy/,
      );
    } finally {
      await strict.stop();
    }
  });

  it('authenticates its users by certificates', async () => {
    const bob = await chain.addUser({ name: 'bob', groups: ['dev', 'ops'] });
    assert.equal(chain.users['bob'], bob);
    const { status, json } = await call(chain, configMaps, undefined, bob);
    assert.equal(status, 403);
    assert.match(String(json['message']), /User "bob" cannot list resource "configmaps"/);
    assert.deepEqual(chain.requests.at(-1)?.groups, ['dev', 'ops', 'system:authenticated']);
    assert.equal((await call(chain, configMaps, undefined, chain.users['alice'])).status, 200);
  });

  it('serves CRDs from start-up on, and applies manifests in order', async () => {
    const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'one' }, spec: { size: 1 } };
    await chain.apply(
      { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }] },
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-text, namespace: shop}\n---\n# nothing\n---\n`,
      thing,
      crd('gadgets', 'Gadget'),
      { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'two' } },
    );
    assert.deepEqual(namesOf(await call(chain, '/api/v1/namespaces/shop/configmaps')), ['from-text']);
    assert.deepEqual(namesOf(await call(chain, '/apis/example.com/v1/things')), ['one']);
    assert.deepEqual(namesOf(await call(chain, '/apis/example.com/v1/gadgets')), ['two']);
    await assert.rejects(chain.apply({ apiVersion: 'v1', kind: 'Nothing', metadata: { name: 'a' } }), /no matches for/);
  });

  it('reads manifests from files, folders and patterns', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'apichain-manifests-'));
    try {
      for (const name of ['file-a', 'file-b'])
        writeFileSync(join(folder, `${name}.yaml`), `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`);
      writeFileSync(join(folder, 'c.json'), JSON.stringify(configMap('file-c')));
      writeFileSync(join(folder, 'kustomization.yaml'), 'resources: [file-a.yaml]\n');
      await chain.apply(join(folder, 'file-*.yaml'), folder, join(folder, 'c.json'));
      const names = namesOf(await call(chain, configMaps));
      assert.deepEqual(
        names.filter((name) => name.startsWith('file-')),
        ['file-a', 'file-b', 'file-c'],
      );
      await assert.rejects(chain.apply(join(folder, 'no-*.yaml')), /no-\*\.yaml: no such file/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('restores a snapshot, including CRDs', async () => {
    const clean = chain.snapshot();
    await chain.apply(configMap('passing'), crd('passings', 'Passing'), {
      apiVersion: 'example.com/v1',
      kind: 'Passing',
      metadata: { name: 'x' },
    });
    await chain.restore(clean);
    assert.equal((await call(chain, `${configMaps}/passing`)).status, 404);
    assert.equal((await call(chain, '/apis/example.com/v1/passings')).status, 404);
    await chain.apply(crd('passings', 'Passing'));
    assert.deepEqual(namesOf(await call(chain, '/apis/example.com/v1/passings')), []);
    await chain.restore(clean);
    await chain.restore(clean);
    assert.equal((await call(chain, configMaps, configMap('passing'))).status, 201);
  });

  it('returns injected errors the given number of times', async () => {
    const fault = chain.faults.add({ match: { verb: 'create', resource: 'configmaps' }, status: 409, times: 1 });
    const refused = await call(chain, configMaps, configMap('late'));
    assert.equal(refused.status, 409);
    assert.equal(refused.json['reason'], 'Conflict');
    assert.equal((await call(chain, configMaps, configMap('late'))).status, 201);
    assert.equal(fault.hits, 1);

    const busy = chain.faults.add({ match: { user: 'kubernetes-admin' }, status: 429, retryAfterSeconds: 7 });
    const { status, headers, json } = await call(chain, configMaps);
    assert.deepEqual([status, headers['retry-after'], json['reason']], [429, '7', 'TooManyRequests']);
    assert.equal((await call(chain, configMaps, undefined, chain.users['alice'])).status, 200);
    busy.remove();
    assert.equal((await call(chain, configMaps)).status, 200);
    assert.throws(() => chain.faults.add({ status: 200 }), RangeError);
    assert.throws(() => chain.faults.add({ match: { verb: 'get' } }), RangeError);
  });

  it('delays requests and drops watches', async () => {
    chain.faults.add({ match: { verb: 'list', resource: 'secrets' }, latencyMs: 120, times: 1 });
    const before = performance.now();
    assert.equal((await call(chain, '/api/v1/secrets')).status, 200);
    assert.ok(performance.now() - before >= 119);
    const dropped = chain.faults.add({ match: { verb: 'watch' }, dropWatchAfterMs: 50, times: 1 });
    await assert.rejects(call(chain, `${configMaps}?watch=true`), { code: 'ECONNRESET' });
    assert.equal(dropped.hits, 1);
    chain.faults.clear();
  });

  it('records requests of clients', async () => {
    chain.clearRequests();
    await call(chain, `${configMaps}?limit=1`, undefined, chain.users['alice']);
    await call(chain, `${configMaps}/nothing/status`);
    const facts = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' };
    const seen = chain.requests.map(
      ({ receivedAt: _time, contentType: _type, groups: _groups, auditID: _id, ...rest }) => rest,
    );
    assert.deepEqual(seen, [
      {
        ...facts,
        ...{ verb: 'list', subresource: '', name: '', user: 'alice', userAgent: 'the-test' },
        ...{ auditLevel: 'None', method: 'GET', url: `${configMaps}?limit=1`, status: 200 },
      },
      {
        ...facts,
        ...{ verb: 'get', subresource: 'status', name: 'nothing', user: 'kubernetes-admin', userAgent: 'the-test' },
        ...{ auditLevel: 'None', method: 'GET', url: `${configMaps}/nothing/status`, status: 404 },
      },
    ]);
  });

  it('runs several independent chains', async () => {
    const others = await Promise.all([startChain(), startChain(), startChain()]);
    try {
      const [first, second] = others;
      assert.equal(new Set(others.map(({ url }) => url)).size, 3);
      assert.ok(first !== undefined && second !== undefined);
      assert.equal((await call(first, configMaps, configMap('mine'))).status, 201);
      assert.equal((await call(second, `${configMaps}/mine`)).status, 404);
      // The certificates of one chain are not valid for another chain.
      await assert.rejects(call(second, configMaps, undefined, first.admin), /certificate|signature/);
    } finally {
      await Promise.all(others.map((other) => other.stop()));
    }
  });

  it('removes its files and processes', async () => {
    let url = '';
    let file = '';
    {
      await using short = await startChain();
      ({ url, kubeconfigFile: file } = short);
    }
    assert.ok(!existsSync(file));
    await assert.rejects(fetch(url));
    await assert.rejects(startChain({ flags: ['--no-such-flag'] }), /unknown flag: --no-such-flag/);
    await assert.rejects(startChain({ manifests: ['apiVersion: v1\nkind: ConfigMap\n'] }), /without metadata.name/);
  });

  it('does not keep its process alive', async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'apichain-ends-'));
    const program = `
      import { startChain } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
      const chain = await startChain({
        controllers: true,
        webhooks: { handlers: { '/': () => true } },
        apiServices: [{ group: 'a.example.com', version: 'v1', resources: [], handler: () => undefined }],
      });
      await chain.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
      await chain.restore(chain.snapshot());
      await chain.stop();
      await chain.stop();
      await new Promise(setImmediate);
      console.log(process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap').join());
      process.on('exit', () => console.log('ended'));`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, TMPDIR: temporary },
      timeout: 60_000,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.deepEqual([code, output], [0, '\nended\n']);
    assert.deepEqual(readdirSync(temporary), []);
    rmSync(temporary, { recursive: true });
  });
});
