import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { repository, startChain, waitFor, type Chain } from './chain.ts';
import { Kubectl } from './kubectl.ts';
import { requireKubectl } from './requirements.ts';

const flunder = (name: string) =>
  JSON.stringify({
    apiVersion: 'wardle.example.com/v1beta1',
    kind: 'Flunder',
    metadata: { name },
    spec: { flunderReference: 'another' },
  });
const user = 'system:serviceaccount:default:wardle';
const registered = 'apiservices,clusterroles,clusterrolebindings,rolebindings';
const label = 'app.kubernetes.io/managed-by=apichain-register';

/** A program of the repository in a process of its own. */
class Program {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  output = '';

  constructor(file: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [join(repository, file), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += String(chunk)));
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  async succeeds(): Promise<string> {
    assert.equal(await this.#ended, 0, this.output);
    return this.output;
  }

  printed(text: RegExp): Promise<void> {
    return waitFor(
      () => {
        assert.equal(this.#child.exitCode, null, this.output);
        return text.test(this.output);
      },
      30_000,
      () => this.output,
    );
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}

describe('registration with a minimal chain', function () {
  this.timeout(480_000);
  let chain: Chain;
  let kubectl: Kubectl;
  let port: number;
  before(async function () {
    requireKubectl(this);
    chain = await startChain({ args: ['--in-process', '--memory', '--apis=minimal'] });
    kubectl = new Kubectl(chain);
    port = await freePort();
  });
  after(() => chain?.stop());

  const sampleServer = (kubeconfig: string, ...args: readonly string[]) =>
    new Program('apps/sample-apiserver/src/main.ts', [
      ...['--memory', '--bind-address=127.0.0.1', `--secure-port=${port}`],
      ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
        (flag) => `--${flag}=${kubeconfig}`,
      ),
      ...args,
    ]);
  const apichain = (command: string, ...args: readonly string[]) =>
    new Program('apps/apichain/src/main.ts', [
      command,
      `--kubeconfig=${chain.kubeconfig}`,
      '--name=wardle',
      ...args,
    ]).succeeds();
  const areAvailable = () =>
    kubectl.ok([
      ...['wait', '--for=condition=Available', '--timeout=120s'],
      ...['apiservice/v1beta1.wardle.example.com', 'apiservice/v1alpha1.wardle.example.com'],
    ]);
  const objects = () => kubectl.ok(['get', registered, '-A', '-l', label, '-o=name']);

  it('is done by the server itself, and by it again after a restart', async () => {
    const start = async () => {
      const server = sampleServer(
        chain.kubeconfig,
        ...['--register', `--register-user=${user}`, `--cert-dir=${join(chain.dataDirectory, 'wardle')}`],
      );
      // A busy machine may not have noticed the server in the few seconds that the registration waits for it.
      await server.printed(/ is (?:not )?available/);
      return server;
    };
    const server = await start();
    try {
      await areAvailable();
      assert.match(
        server.output,
        new RegExp(`no Service: the API server serves none and takes 127.0.0.1:${port} from`),
      );
      await kubectl.ok(['apply', '-f', '-'], flunder('one'));
      assert.match(await kubectl.ok(['get', 'fl', '--no-headers']), /^one +Flunder/);
      const older = await kubectl.ok(['get', 'flunders.v1alpha1.wardle.example.com', 'one', '-o=yaml']);
      assert.match(older, /reference: another/);
      assert.match(
        await kubectl.fails(['get', 'flunders', '--as=jane']),
        /User "jane" cannot list resource "flunders"/,
      );
    } finally {
      await server.stop();
    }
    const again = await start();
    try {
      assert.doesNotMatch(again.output, /: (created|configured|deleted)/);
      await areAvailable();
    } finally {
      await again.stop();
    }
    await apichain('unregister');
    assert.equal(await objects(), '');
  });

  it('gives the user of a server the rights that it needs', async () => {
    const ca = await createCA('wardle-ca');
    const { certificate, key } = await issueServing(ca, 'wardle', ['wardle.default.svc']);
    const file = (name: string, text: string): string => {
      writeFileSync(join(chain.dataDirectory, name), text);
      return join(chain.dataDirectory, name);
    };
    const caFile = file('wardle-ca.crt', ca.certificate);
    await kubectl.ok(['create', 'serviceaccount', 'wardle']);
    const kubeconfig = file(
      'wardle.kubeconfig',
      JSON.stringify({
        clusters: [
          {
            name: 'core',
            cluster: {
              server: chain.url,
              'certificate-authority-data': Buffer.from(chain.admin.ca).toString('base64'),
            },
          },
        ],
        users: [{ name: 'wardle', user: { token: (await kubectl.ok(['create', 'token', 'wardle'])).trim() } }],
        contexts: [{ name: 'core', context: { cluster: 'core', user: 'wardle' } }],
        'current-context': 'core',
      }),
    );
    const register = () =>
      apichain(
        'register',
        '--group-version=wardle.example.com/v1alpha1,wardle.example.com/v1beta1',
        ...[`--address=127.0.0.1:${port}`, `--user=${user}`, `--ca-file=${caFile}`],
      );
    // The server does not start without its rights. An API server asks again only after a while whether it has started.
    assert.match(await register(), /^v1beta1.wardle.example.com is not available yet/m);
    await kubectl.ok(['delete', 'apiservices', '-l', label]);
    const token = (await kubectl.ok(['create', 'token', 'default'])).trim();
    const direct = [
      ...['--kubeconfig=/dev/null', `--token=${token}`, `--certificate-authority=${caFile}`],
      ...[`--server=https://127.0.0.1:${port}`, '--tls-server-name=wardle.default.svc'],
    ];
    const server = sampleServer(
      kubeconfig,
      `--tls-cert-file=${file('wardle.crt', certificate)}`,
      `--tls-private-key-file=${file('wardle.key', key)}`,
    );
    try {
      await waitFor(
        async () => (await kubectl.run([...direct, 'get', '--raw', '/readyz'])).code === 0,
        30_000,
        () => server.output,
      );
      assert.match(await register(), /^v1beta1.wardle.example.com is (?:not )?available/m);
      await areAvailable();
      await kubectl.ok(['apply', '-f', '-'], flunder('two'));
      // The server asks the chain who has sent the token and what this user may do.
      const flunders = [...direct, 'get', '--raw', '/apis/wardle.example.com/v1beta1/flunders'];
      assert.match(await kubectl.fails(flunders), /User "system:serviceaccount:default:default" cannot list/);
      assert.doesNotMatch(server.output, /forbidden/);
    } finally {
      await server.stop();
    }
    await apichain('unregister');
    assert.equal(await objects(), '');
  });
});
