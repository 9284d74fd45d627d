import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Chain, runUp, startChain } from './chain.ts';
import { withoutProgress } from './command-line.ts';
import { definitionOf } from './definitions.ts';
import { call } from './http.ts';
import { Kubectl } from './kubectl.ts';
import { freePort } from '@apichain/meta';
import { requireKubectl } from './requirements.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const crd = JSON.stringify(definitionOf('stable.example.com', 'CronTab', { shortNames: ['ct'] }));

const configMap = (name: string) => ({
  body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }),
});

describe('apichain up --in-process', () => {
  let directory: string;
  let chain: Chain | undefined;
  const start = async (...more: string[]) =>
    (chain = await startChain({ dataDirectory: directory, args: ['--in-process', ...more] }));
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-in-process-'));
  });
  afterEach(async () => {
    await chain?.stop();
    chain = undefined;
    rmSync(directory, { recursive: true, force: true });
  });

  it('serves a session of kubectl from one process', async function () {
    requireKubectl(this);
    const running = await start();
    assert.deepEqual(Object.keys(running.pids()), ['apichain']);
    const kubectl = new Kubectl(running);
    await kubectl.ok(['create', 'namespace', 'shop']);
    await kubectl.ok(['-n', 'shop', 'create', 'deployment', 'web', '--image=nginx', '--replicas=2']);
    await kubectl.ok(['-n', 'shop', 'scale', 'deployment', 'web', '--replicas=3']);
    assert.match(await kubectl.ok(['-n', 'shop', 'get', 'deployments']), /web +0\/3/);
    await kubectl.ok(['apply', '-f', '-'], crd);
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/crontabs.stable.example.com', '--timeout=10s']);
    const object = 'apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: nightly}\nspec: {replicas: 2}\n';
    await kubectl.ok(['create', '-f', '-'], object);
    assert.match(await kubectl.ok(['get', 'ct']), /nightly/);
    assert.match(await kubectl.ok(['api-resources']), /crontabs +ct +stable.example.com\/v1/);
    assert.match(await kubectl.ok(['get', '--raw', '/readyz?verbose']), /readyz check passed/);
  });

  it('keeps all objects over a restart and exits 0 on SIGTERM', async () => {
    const first = await start();
    assert.equal((await call(first, 'POST', configMaps, configMap('kept'))).status, 201);
    assert.equal(await first.stop(), 0);
    const second = await start();
    assert.equal((await call(second, 'GET', `${configMaps}/kept`)).status, 200);
  });

  it('keeps every acknowledged write over kill -9', async () => {
    const first = await start();
    let running = true;
    const acknowledged: string[] = [];
    const { promise: enough, resolve: haveEnough } = Promise.withResolvers<void>();
    const write = async (writer: number) => {
      for (let i = 0; running; i++) {
        const name = `w${writer}-${i}`;
        // The connection breaks when the process is killed. The interrupted write may or may not have been stored.
        const status = await call(first, 'POST', configMaps, configMap(name)).then(
          (response) => response.status,
          () => 0,
        );
        if (status === 201) acknowledged.push(name);
        if (acknowledged.length >= 100) haveEnough();
      }
    };
    const writers = Array.from({ length: 8 }, (_, writer) => write(writer));
    await enough;
    process.kill(first.pids()['apichain'] ?? 0, 'SIGKILL');
    running = false;
    await Promise.all(writers);
    const second = await start();
    const { items } = (await call(second, 'GET', configMaps)).json<{ items: { metadata: { name: string } }[] }>();
    const names = new Set(items.map(({ metadata }) => metadata.name));
    assert.deepEqual(
      acknowledged.filter((name) => !names.has(name)),
      [],
    );
  });

  it('stores nothing with --memory', async () => {
    const first = await start('--memory');
    assert.equal((await call(first, 'POST', configMaps, configMap('gone'))).status, 201);
    assert.equal(await first.stop(), 0);
    const second = await start('--memory');
    assert.equal((await call(second, 'GET', `${configMaps}/gone`)).status, 404);
  });

  it('refuses invalid combinations of flags in one line', async () => {
    const failure = async (...args: string[]) => {
      const child = runUp([`--data-dir=${directory}`, `--secure-port=${await freePort()}`, ...args]);
      let text = '';
      child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      const code = await new Promise((resolve) => child.once('close', resolve));
      assert.equal(code, 1, text);
      assert.equal(withoutProgress(text).length, 1, text);
      return text;
    };
    assert.match(await failure('--in-process', '--no-such-flag=1'), /unknown flag: --no-such-flag/);
    assert.match(await failure('--memory'), /--memory needs --in-process/);
  });
});
