import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpTransport, loadKubeconfig, RestClient } from '@apichain/client';
import { parseYaml, type KubeObject } from '@apichain/meta';
import { createCA, issueServing, type CertificatePair } from '@apichain/serving/certificates';
import { startChain, type TestChain } from '@apichain/testing';
import { parseArguments } from '../commands/parse.ts';
import { commands } from '../commands/table.ts';

const groupVersion = 'wardle.example.com/v1beta1';
const base = `/apis/${groupVersion}`;
const flunders = `${base}/namespaces/default/flunders`;
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const flunder = { apiVersion: groupVersion, kind: 'Flunder', metadata: { name: 'one', namespace: 'default' } };
const documents: Readonly<Record<string, object>> = {
  [base]: {
    ...{ kind: 'APIResourceList', apiVersion: 'v1', groupVersion },
    resources: [
      { name: 'flunders', singularName: 'flunder', kind: 'Flunder', namespaced: true, verbs: ['get', 'list'] },
    ],
  },
  [flunders]: {
    ...{ kind: 'FlunderList', apiVersion: groupVersion, metadata: { resourceVersion: '1' }, items: [flunder] },
  },
};

/** Serves discovery and one object. */
async function serveFlunders({ certificate: cert, key }: CertificatePair): Promise<Server> {
  const server = createServer({ cert, key }, (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'https://extension');
    const document = documents[pathname];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('apichain register', function () {
  let chain: TestChain;
  let client: RestClient;
  let server: Server;
  let directory: string;
  let registration: readonly string[];
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-register-'));
    const ca = await createCA('extension');
    const pair = await issueServing(ca, 'wardle', ['wardle.default.svc']);
    const caFile = join(directory, 'ca.crt');
    writeFileSync(caFile, ca.certificate);
    writeFileSync(join(directory, 'ca.key'), ca.key);
    [chain, server] = await Promise.all([startChain(), serveFlunders(pair)]);
    client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
    const { port } = server.address() as AddressInfo;
    registration = [
      '--name=wardle',
      `--group-version=${groupVersion}`,
      `--ca-file=${caFile}`,
      `--address=127.0.0.1:${port}`,
    ];
  });
  after(async () => {
    await client.close();
    await chain.stop();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Runs the command in this process. The result is what it prints to standard output. */
  async function apichain(name: string, ...args: readonly string[]): Promise<string> {
    const command = commands.find((known) => known.name === name);
    assert.ok(command !== undefined);
    const given = parseArguments(command, [`--kubeconfig=${chain.kubeconfigFile}`, ...args]);
    const run = await command.load();
    let printed = '';
    const { log } = console;
    const write = process.stdout.write.bind(process.stdout);
    console.log = (line: string) => (printed += `${line}\n`);
    process.stdout.write = (text: string | Uint8Array) => {
      printed += String(text);
      return true;
    };
    try {
      await run(given);
    } finally {
      console.log = log;
      process.stdout.write = write;
    }
    return printed;
  }

  it('makes a server available, and unregister removes it', async () => {
    const printed = await apichain('register', ...registration, '--user=jane');
    assert.match(printed, /^Service default\/wardle: created$/m);
    assert.match(printed, /^v1beta1.wardle.example.com is available$/m);
    assert.deepEqual(await client.request('GET', flunders), documents[flunders]);

    const again = await apichain('register', ...registration, '--user=jane');
    assert.doesNotMatch(again, /created|configured|deleted/);

    await assert.rejects(
      apichain('register', ...registration, '--name=other'),
      /^StartupError: APIService v1beta1.wardle.example.com exists and was not registered for "other": --force/,
    );

    const removed = await apichain('unregister', '--name=wardle');
    assert.equal(removed.trim().split('\n').length, 6, removed);
    await assert.rejects(client.request('GET', `${apiServices}/v1beta1.wardle.example.com`), /not found/);
    assert.equal(await apichain('unregister', '--name=wardle'), 'nothing is registered for "wardle"\n');
  });

  it('refuses to replace an API of the API server itself', async () => {
    await assert.rejects(
      apichain('register', ...registration, '--group-version=apps/v1', '--force'),
      /^StartupError: APIService v1.apps belongs to the API server/,
    );
  });

  it('prints with --dry-run what it would apply, and changes nothing', async () => {
    const yaml = await apichain('register', ...registration, '--user=jane', '--dry-run');
    const objects = yaml.split('---\n').map((text) => parseYaml(Buffer.from(text)) as KubeObject);
    assert.deepEqual(
      objects.map(({ kind }) => kind),
      ['Service', 'ClusterRole', 'ClusterRoleBinding', 'ClusterRoleBinding', 'RoleBinding', 'APIService'],
    );
    await assert.rejects(client.request('GET', `${apiServices}/v1beta1.wardle.example.com`), /not found/);
  });

  it('refuses invalid flags in one line', async () => {
    const [name, version, ca, address] = registration;
    const refused = async (pattern: RegExp, ...args: readonly (string | undefined)[]) => {
      const given = args.filter((arg) => arg !== undefined);
      await assert.rejects(apichain('register', ...given), (error: Error) => {
        assert.equal(error.name, 'StartupError');
        assert.match(error.message, pattern);
        assert.doesNotMatch(error.message, /\n/);
        return true;
      });
    };
    await refused(/^--name is needed/, version, ca, address);
    await refused(/^--name: .*"A"/, '--name=A', version, ca, address);
    await refused(/^--group-version is needed/, name, ca, address);
    await refused(/^--group-version: "v1" is not a group-version/, name, '--group-version=v1', ca, address);
    await refused(/^either --service/, name, version, ca);
    await refused(/^either --service/, name, version, ca, address, '--service=a/b');
    await refused(/^--address: "x" is not HOST:PORT/, name, version, ca, '--address=x');
    await refused(/^--namespace is for --address/, name, version, ca, '--service=a/b', '--namespace=a');
    await refused(/^--ca-file is needed/, name, version, address);
    await refused(/^--ca-file: ENOENT/, name, version, address, '--ca-file=/none');
    await refused(/private key/, name, version, address, `--ca-file=${join(directory, 'ca.key')}`);
    await refused(/^--rbac: "no" is not true or false/, ...registration, '--rbac=no');
    await refused(/^--user has no effect/, ...registration, '--rbac=false', '--user=jane');
    await refused(/^--kubeconfig: ENOENT/, ...registration, '--kubeconfig=/none', '--namespace=default');
    await refused(/namespaces "none" not found/, ...registration, '--namespace=none');
  });
});
