import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Chain, repository, startChain } from './chain.ts';
import { call } from './http.ts';

interface Run {
  readonly code: number;
  readonly output: string;
}

/** The chain in three services is the reference; the chain in one process is compared with it. */
describe('npm run conformance', function () {
  this.timeout(480_000);
  let chain: Chain;
  let directory: string;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-conformance-'));
    const flags = ['--authorization-mode=RBAC', '--disable-admission-plugins=ServiceAccount', '--controllers=-*'];
    chain = await startChain({ args: [...flags, '--service-cluster-ip-range=10.0.0.0/16'] });
  });
  after(async () => {
    await chain?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const conformance = (...args: string[]): Promise<Run> =>
    new Promise((resolve) => {
      const script = join(repository, 'tools/conformance/main.ts');
      const options = { cwd: repository, timeout: 450_000 };
      execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
        resolve({
          code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1,
          output: stdout + stderr,
        });
      });
    });
  const reference = () => ['--reference', chain.url, '--kubeconfig', chain.kubeconfig];

  it('finds no difference between the two forms of the chain, reports that, and removes its objects', async () => {
    const report = join(directory, 'report');
    const known = ['--known', 'none', '--report', `${report}.md`];
    const { code, output } = await conformance(
      ...reference(),
      '--chain',
      'in-process',
      '--areas',
      'writes,admission',
      ...known,
    );
    assert.equal(code, 0, output);
    const { chains } = JSON.parse(readFileSync(`${report}.json`, 'utf8')) as {
      chains: { areas: { writes: { steps: number; same: number } } }[];
    };
    const counts = chains[0]?.areas.writes;
    assert.ok(counts !== undefined && counts.steps > 100 && counts.same === counts.steps, JSON.stringify(counts));
    assert.match(readFileSync(`${report}.md`, 'utf8'), /\| writes \| \d+ \| \d+ \| \d+ \| 0 \| 0 \|/);
    const left = async (path: string) => {
      const { items } = (await call(chain, 'GET', path)).json<{ items: { metadata: { name: string } }[] }>();
      return items.map(({ metadata }) => metadata.name).sort();
    };
    assert.deepEqual(await left('/api/v1/namespaces'), ['default', 'kube-node-lease', 'kube-public', 'kube-system']);
    const own = (await left('/api/v1/configmaps')).filter((name) => !/^(extension|kube)-apiserver-/.test(name));
    assert.deepEqual(own, []);
  });

  it('exits 1 when a known difference no longer occurs', async () => {
    const args = ['--chain', 'in-process', '--scenarios', '^conversion by a webhook$'];
    const { code, output } = await conformance(...reference(), ...args);
    assert.equal(code, 1, output);
    assert.match(output, /known, but gone \(resourceVersion in conversion reviews\)/);
  });

  it('explains in one line why servers cannot be compared', async () => {
    const { code, output } = await conformance('--reference', 'https://127.0.0.1:1', '--chain', 'in-process');
    assert.equal(code, 2, output);
    assert.match(output, /^conformance: .*ECONNREFUSED/m);
  });
});
