import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChain } from './chain.ts';
import { apichain, failsWith, succeeds } from './command-line.ts';
import { call } from './http.ts';
import { Kubectl } from './kubectl.ts';
import { freePort } from '@apichain/meta';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { requireKubectl } from './requirements.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const create = (name: string) => ({
  body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { of: name } }),
});

describe('the commands beside apichain up', () => {
  let directory: string;
  let dataDir: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-commands-'));
    dataDir = `--data-dir=${directory}`;
  });
  afterEach(async () => {
    await apichain('down', dataDir);
    rmSync(directory, { recursive: true, force: true });
  });

  it('help has examples, and an unknown command is refused in one line', async () => {
    assert.match(await succeeds('--help'), /apichain up +Starts the chain/);
    for (const name of ['up', 'down', 'kubeconfig', 'doctor', 'migrate', 'completion', 'version'])
      assert.match(await succeeds(name, '--help'), new RegExp(`^apichain ${name}`));
    await failsWith(/unknown command "downn"; did you mean down\? \(see apichain --help\)/, 'downn');
    await failsWith(/unknown flag: --forse \(see apichain down --help\)/, 'down', '--forse');
  });

  it('completion covers commands, flags and the flags of kube-apiserver', async () => {
    const script = await succeeds('completion', 'bash');
    const complete = (...words: string[]) => {
      const line = ['apichain', ...words].map((word) => JSON.stringify(word)).join(' ');
      return `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _apichain; echo "\${COMPREPLY[*]}"\n`;
    };
    const program = `${script}\n${complete('mig')}${complete('migrate', '--over')}${complete('up', '--authorization-mo')}`;
    const child = spawn('bash', ['--norc', '-c', program]);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    await new Promise((resolve) => child.once('close', resolve));
    assert.equal(output, 'migrate\n--overwrite\n--authorization-mode\n');
  });

  it('doctor, kubeconfig and down work with a running chain', async function () {
    requireKubectl(this);
    const chain = await startChain({ dataDirectory: directory, args: ['--in-process'] });
    // The kubectl of this machine may deserve a warning.
    assert.match(await succeeds('doctor', dataDir), /^(\d+ checks, nothing is wrong.*|warn +kubectl.*)\n$/);
    const report = await succeeds('doctor', dataDir, '--all');
    assert.match(report, /ok +store +unix:.* responds as etcd 3/);
    assert.match(report, /ok +server +https:.* is ready/);
    assert.match(report, /ok +clock/);

    const kubeconfig = join(directory, 'merged');
    await succeeds('kubeconfig', dataDir, '--merge', kubeconfig);
    await succeeds('kubeconfig', dataDir, '--user=jane', '--group=developers', '--merge', kubeconfig);
    const kubectl = new Kubectl({ ...chain, kubeconfig });
    assert.match(await kubectl.ok(['config', 'get-contexts', '-o', 'name']), /^apichain\njane@apichain\n$/);
    // The user is authenticated, but is not an administrator.
    assert.match(await kubectl.fails(['get', '--raw', '/api/v1/namespaces']), /Forbidden/);
    const view = await kubectl.ok(['config', 'view', '--raw', '--minify', '-o', 'json']);
    const { users } = JSON.parse(view) as { users: { user: { 'client-certificate-data': string } }[] };
    const certificate = Buffer.from(users[0]?.user['client-certificate-data'] ?? '', 'base64');
    assert.equal(new X509Certificate(certificate).subject, 'O=developers\nCN=jane');
    await kubectl.ok(['--context=apichain', 'get', 'namespaces']);

    assert.match(await succeeds('down', dataDir), /stopped the chain on/);
    await assert.rejects(call(chain, 'GET', '/readyz'));
    assert.match(await succeeds('down', dataDir), /no chain runs on/);
    assert.match(
      await succeeds('doctor', dataDir, '--all', `--secure-port=${await freePort()}`),
      /ok +store .* is whole/,
    );
  });

  it('a chain with a certificate of the user works, also for the commands', async function () {
    requireKubectl(this);
    const { certificate, key } = await issueServing(await createCA('someone'), 'api', ['127.0.0.1']);
    const [certFile, keyFile] = [join(directory, 'own.crt'), join(directory, 'own.key')];
    writeFileSync(certFile, certificate);
    writeFileSync(keyFile, key, { mode: 0o600 });
    const chain = await startChain({
      dataDirectory: directory,
      args: [`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`],
    });
    assert.match(await succeeds('status', dataDir), /^status +ready$/m);
    assert.match(await succeeds('doctor', dataDir, '--all'), /ok +server +https:.* is ready/);
    await new Kubectl(chain).ok(['get', 'namespaces']);
    assert.equal(await chain.stop(), 0);
  });

  it('profile reads from each service, and the metrics have the process of each', async () => {
    const chain = await startChain({ dataDirectory: directory });
    const [cpu, heap] = [join(directory, 'cpu'), join(directory, 'heap')];
    const out = (file: string) => `--output=${file}`;
    assert.match(
      await succeeds('profile', 'cpu', 'kube-core', dataDir, '--seconds=0.2', out(cpu)),
      /^cpu: \d+ KiB; open it in/,
    );
    assert.ok((JSON.parse(readFileSync(cpu, 'utf8')) as { nodes: unknown[] }).nodes.length > 1);
    await succeeds('profile', 'heap', 'apiextensions', dataDir, out(heap));
    assert.match(readFileSync(heap, 'utf8').slice(0, 30), /^\{"snapshot":\{"meta":/);
    assert.equal(statSync(heap).mode & 0o777, 0o600);
    await failsWith(
      /cpu exists: choose another file/,
      'profile',
      'cpu',
      'aggregator',
      dataDir,
      '--seconds=0.1',
      out(cpu),
    );
    const behind = (path: string) => call(chain, 'GET', `/debug/v8/${path}`);
    assert.equal((await behind('heap?component=apiextensions')).status, 403);
    const { status, headers } = await behind('profile?component=apiextensions&seconds=0.1');
    assert.deepEqual(
      [status, headers['content-disposition']],
      [200, 'attachment; filename="apiextensions.cpuprofile"'],
    );

    const metrics = await call(chain, 'GET', '/metrics');
    assert.equal(metrics.headers['x-apichain-component'], undefined);
    for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_heap_size_used_bytes'])
      assert.deepEqual(
        [...metrics.text.matchAll(new RegExp(`^${name}(\\S*) \\d`, 'gm'))].map(([, labels]) => labels),
        ['', '{component="kube-core"}', '{component="apiextensions"}'],
      );
    await chain.stop();
    await failsWith(/no chain runs on/, 'profile', 'cpu', 'kube-core', dataDir, '--seconds=0.1');
  });

  it('doctor names each problem', async () => {
    const chain = await startChain({ dataDirectory: directory, args: ['--in-process'] });
    await chain.stop();
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    chmodSync(join(directory, 'pki'), 0o755);
    chmodSync(join(directory, 'pki/ca.key'), 0o644);
    writeFileSync(join(directory, 'pki/admin.key'), readFileSync(join(directory, 'pki/ca.key')));
    const report = await failsWith(/3 things are wrong/, 'doctor', dataDir, `--secure-port=${port}`);
    server.close();
    assert.doesNotMatch(report, /^ok/m);
    assert.match(report, /FAIL +data .*ca\.key can be read by other users: chmod/);
    assert.match(report, /FAIL +certificates .*admin\.crt does not belong to its key/);
    assert.match(report, new RegExp(`FAIL +port +port ${port} .* is in use`));
  });

  it('migrate moves a chain from the embedded etcd to a real one and back', async () => {
    const first = await startChain({ dataDirectory: directory, args: ['--in-process'] });
    for (let i = 0; i < 20; i++) assert.equal((await call(first, 'POST', configMaps, create(`c${i}`))).status, 201);
    const list = async (chain: typeof first) => {
      const { items } = (await call(chain, 'GET', configMaps)).json<{
        items: { metadata: { name: string; uid: string; resourceVersion: string } }[];
      }>();
      return items.filter(({ metadata }) => metadata.name.startsWith('c'));
    };
    const inOrder = (items: Awaited<ReturnType<typeof list>>) =>
      [...items]
        .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map(({ metadata }) => metadata.uid);
    const before = await list(first);
    await failsWith(/runs a chain on it: stop it first/, 'migrate', '--from', directory, '--to', `${directory}/x`);
    await first.stop();

    // A chain whose store is a real etcd, as the target. The keys that its start has written are overwritten.
    const second = join(directory, 'second');
    const real = await startChain({ dataDirectory: second, args: ['--embedded-etcd=false'] });
    const storeUrl = readFileSync(join(second, 'store-url'), 'utf8').trim();
    await failsWith(/is not empty/, 'migrate', '--from', directory, '--to', storeUrl);
    await real.stop();
    await succeeds('migrate', '--from', directory, '--to', second, '--overwrite');
    const there = await startChain({ dataDirectory: second });
    assert.deepEqual(inOrder(await list(there)), inOrder(before));
    await there.stop();

    await succeeds('migrate', '--from', join(second, 'etcd'), '--to', join(second, 'embedded-etcd'));
    const back = await startChain({ dataDirectory: second, args: ['--in-process'] });
    assert.deepEqual(inOrder(await list(back)), inOrder(before));
    assert.equal((await call(back, 'POST', configMaps, create('next'))).status, 201);
    assert.equal(await back.stop(), 0);
  });
});
