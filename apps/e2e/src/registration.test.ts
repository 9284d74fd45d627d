import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { createApiServer, defineResource, Type } from '@apichain/extension-server';
import { freePort } from '@apichain/meta';
import { repository, startChain, waitFor, type Chain } from './chain.ts';
import { call } from './http.ts';
import { Kubectl } from './kubectl.ts';
import { requireKubectl, requireOwnAddress } from './requirements.ts';

const groupVersion = 'wardle.example.com/v1beta1';

/** Serves discovery and one object. */
function documentAt(path: string): object | undefined {
  const base = `/apis/${groupVersion}`;
  const flunders = { name: 'flunders', singularName: 'flunder', kind: 'Flunder', namespaced: true, verbs: ['list'] };
  if (path === base) return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [flunders] };
  if (path !== `${base}/namespaces/default/flunders`) return undefined;
  const items = [{ apiVersion: groupVersion, kind: 'Flunder', metadata: { name: 'one', namespace: 'default' } }];
  return { kind: 'FlunderList', apiVersion: groupVersion, metadata: { resourceVersion: '1' }, items };
}

describe('a registered extension API server', function () {
  this.timeout(480_000);
  let chain: Chain;
  before(async function () {
    requireKubectl(this);
    chain = await startChain({ args: ['--in-process', '--enable-aggregator-routing=true'] });
  });
  after(() => chain.stop());

  /** Runs `apichain ...` with the chain's kubeconfig. The result is its standard output. */
  async function apichain(...args: readonly string[]): Promise<string> {
    const program = [join(repository, 'apps/apichain/src/main.ts'), ...args];
    const child = spawn(process.execPath, program, { env: { ...process.env, KUBECONFIG: chain.kubeconfig } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    assert.equal(code, 0, output);
    return output;
  }

  it('is used with kubectl, and removed again', async () => {
    const ca = await createCA('extension');
    const { certificate: cert, key } = await issueServing(ca, 'wardle', ['wardle.default.svc']);
    const server = createServer({ cert, key }, (request, response) => {
      const document = documentAt(new URL(request.url ?? '/', 'https://extension').pathname);
      response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(document ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const caFile = join(chain.dataDirectory, 'extension-ca.crt');
      writeFileSync(caFile, ca.certificate);
      const registration = [
        ...['--name=wardle', `--group-version=${groupVersion}`, `--ca-file=${caFile}`, `--address=127.0.0.1:${port}`],
        '--user=system:serviceaccount:default:wardle',
      ];
      const kubectl = new Kubectl(chain);
      // What is printed can be applied by other means, and is then registered.
      const file = join(chain.dataDirectory, 'registration.yaml');
      writeFileSync(file, await apichain('register', ...registration, '--dry-run'));
      await kubectl.ok(['apply', '--server-side', '-f', file]);
      assert.match(await apichain('register', ...registration), /^v1beta1.wardle.example.com is available$/m);
      assert.match(await kubectl.ok(['get', 'flunders', '--no-headers']), /^one /);
      const delegator = ['get', 'clusterrolebinding', 'apichain-register:wardle:auth-delegator', '-o=yaml'];
      assert.match(await kubectl.ok(delegator), /kind: ServiceAccount\n +name: wardle\n +namespace: default/);

      await apichain('unregister', '--name=wardle');
      const kinds = 'apiservices,services,clusterroles,clusterrolebindings,rolebindings';
      const label = 'app.kubernetes.io/managed-by=apichain-register';
      assert.equal(await kubectl.ok(['get', kinds, '-A', '-l', label, '-o=name']), '');
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it('shows the resources of a new release at once', async () => {
    const group = 'rollout.example.com';
    const resource = (kind: string) =>
      defineResource({
        ...{ group, version: 'v1', kind, plural: `${kind.toLowerCase()}s`, scope: 'Cluster' },
        schema: Type.Object({ size: Type.Optional(Type.Integer()) }),
      });
    const port = await freePort();
    // The address stays the same: only the resources tell the aggregator of the change.
    const release = async (...kinds: readonly string[]) => {
      const server = createApiServer({ name: 'rollout', resources: kinds.map(resource) });
      const flags = [
        ...['', 'authentication-', 'authorization-'].map((use) => `--${use}kubeconfig=${chain.kubeconfig}`),
        ...[`--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${chain.dataDirectory}/rollout`],
        ...['--memory', '--register'],
      ];
      const running = await server.start(flags, { log: () => undefined });
      await running.ready();
      return running;
    };
    const isDescribed = (kind: string) => async () => {
      const { text } = await call(chain, 'GET', `/openapi/v3/apis/${group}/v1`);
      return text.includes(`"com.example.rollout.v1.${kind}"`);
    };
    const kubectl = new Kubectl(chain);
    const resources = () => kubectl.ok(['api-resources', `--api-group=${group}`, '-o=name']);

    const first = await release('Box');
    assert.equal(await resources(), `boxs.${group}\n`);
    await waitFor(isDescribed('Box'), 15_000, () => 'boxes are not described');
    await first.close();
    const second = await release('Box', 'Lid');
    try {
      // Without a change of the APIService this would take up to 30 seconds, and a minute for the documents.
      assert.equal(await resources(), `boxs.${group}\nlids.${group}\n`);
      await waitFor(isDescribed('Lid'), 5_000, () => 'lids are not described');
    } finally {
      await second.close();
    }
  });

  it('is reached through the EndpointSlice of a Service without selector and cluster IP', async function () {
    const host = requireOwnAddress(this);
    const port = await freePort();
    const kubectl = new Kubectl(chain);
    const slice = (ready: boolean) => ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'outside-1', labels: { 'kubernetes.io/service-name': 'outside' } },
      ...{ addressType: 'IPv4', endpoints: [{ addresses: [host], conditions: { ready } }] },
      ports: [{ name: 'https', port, protocol: 'TCP' }],
    });
    const service = {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'outside' } },
      spec: { clusterIP: 'None', ports: [{ name: 'https', port: 443 }] },
    };
    const apply = (object: object) => kubectl.ok(['apply', '-f', '-'], JSON.stringify(object));
    await apply(service);
    await apply(slice(true));
    const crates = defineResource({
      ...{ group: 'outside.example.com', version: 'v1', kind: 'Crate', plural: 'crates', scope: 'Cluster' },
      schema: Type.Object({}),
    });
    const running = await createApiServer({ name: 'outside', resources: [crates] }).start(
      [
        ...['', 'authentication-', 'authorization-'].map((use) => `--${use}kubeconfig=${chain.kubeconfig}`),
        ...[`--secure-port=${port}`, `--bind-address=${host}`, '--memory'],
        ...['--register', '--register-service=default/outside', '--cert-secret'],
      ],
      { log: () => undefined },
    );
    try {
      await running.ready();
      const list = '/apis/outside.example.com/v1/crates';
      assert.equal((await call(chain, 'GET', list)).status, 200);
      await apply(slice(false));
      const condition = async () =>
        (await kubectl.run(['get', 'apiservice', 'v1.outside.example.com', '--no-headers'])).stdout;
      await waitFor(
        async () => (await condition()).includes('False (MissingEndpoints)'),
        10_000,
        () => 'still available',
      );
      assert.equal((await call(chain, 'GET', list)).status, 503);
      await apply(slice(true));
      await waitFor(
        async () => (await call(chain, 'GET', list)).status === 200,
        10_000,
        () => 'not available again',
      );
    } finally {
      await running.close();
    }
  });
});
