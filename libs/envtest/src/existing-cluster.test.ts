import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@apichain/testing';
import { thingsCrd } from '@apichain/testing/things.fixture';
import { certificateCommonName, TinyCA } from './certificates.ts';
import type { EnvtestConfig, TestEnvironmentOptions } from './options.ts';
import { restRequest, restRequestOk, type RestConfig } from './rest.ts';
import { TestEnvironment } from './test-environment.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const webhooks = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'checks' },
  webhooks: [
    {
      name: 'checks.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { url: 'https://webhooks.example.com:9443/validate' },
      rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] }],
    },
  ],
};

describe('a TestEnvironment with an existing cluster', () => {
  /** It stands for the cluster. */
  const owner = new TestEnvironment();
  let cluster: EnvtestConfig;
  let folder: string;
  let files: { webhooks: string };
  const environment = { ...process.env };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'apichain-envtest-'));
    files = { webhooks: join(folder, 'webhooks.yaml') };
    writeFileSync(files.webhooks, JSON.stringify(webhooks));
    cluster = await owner.start();
  });
  beforeEach(() => (process.env['KUBECONFIG'] = cluster.kubeconfigPath));
  afterEach(() => {
    for (const name of ['KUBECONFIG', 'USE_EXISTING_CLUSTER']) {
      if (environment[name] === undefined) delete process.env[name];
      else process.env[name] = environment[name];
    }
  });
  after(async () => {
    await owner.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const statusOf = async (path: string) => (await restRequest(cluster, 'GET', path)).status;
  const installed = () => Promise.all([statusOf(`${crds}/things.example.com`), statusOf(`${configurations}/checks`)]);
  /** The server deletes a CRD after its objects. */
  const nothingIsLeft = () => eventually(async () => assert.deepEqual(await installed(), [404, 404]));
  const options = (cleanUpAfterUse: boolean): TestEnvironmentOptions => ({
    useExistingCluster: true,
    crds: [thingsCrd],
    crdInstallOptions: { cleanUpAfterUse },
    webhookInstallOptions: { paths: [files.webhooks], cleanUpAfterUse },
  });

  it('installs into it, and removes what it has installed if that is asked for', async () => {
    const env = new TestEnvironment(options(true));
    const config = await env.start();
    assert.equal(config.server, cluster.server);
    assert.equal(config.user, 'envtest-admin');
    assert.equal(config.apiServerPort, cluster.apiServerPort);
    assert.deepEqual([config.binaries, config.etcdURL], [undefined, undefined]);
    assert.deepEqual(config.installedCRDs, ['things.example.com']);
    assert.deepEqual(await installed(), [200, 200]);
    await assert.rejects(env.addUser({ name: 'bob' }), /not supported with useExistingCluster/);
    assert.throws(() => env.chain, /existing cluster/);
    await env.stop();
    assert.ok(!existsSync(config.kubeconfigPath));
    await nothingIsLeft();
    assert.throws(() => env.config, /not started/);
  });

  it('leaves what it has installed otherwise', async () => {
    const env = new TestEnvironment(options(false));
    await env.start();
    await env.stop();
    assert.deepEqual(await installed(), [200, 200]);
    await restRequestOk(cluster, 'DELETE', `${crds}/things.example.com`);
    await restRequestOk(cluster, 'DELETE', `${configurations}/checks`);
    await nothingIsLeft();
  });

  it('removes what was installed before a failure', async () => {
    const env = new TestEnvironment({ ...options(true), crdDirectoryPaths: [join(folder, 'missing.yaml')] });
    await assert.rejects(env.start(), /CRD path does not exist: .*missing.yaml/);
    assert.equal(await statusOf(`${configurations}/checks`), 404);
  });

  it('redirects webhooks with a URL to the test', async () => {
    const env = new TestEnvironment({ ...options(true), config: cluster });
    const { webhook } = await env.start();
    assert.ok(webhook !== undefined);
    const paths: string[] = [];
    const server = https.createServer({ cert: webhook.certPem, key: webhook.keyPem }, (request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        paths.push(request.url?.split('?')[0] ?? '');
        const {
          apiVersion,
          kind,
          request: review,
        } = JSON.parse(text) as {
          apiVersion: string;
          kind: string;
          request: { uid: string };
        };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.uid, allowed: true } }));
      });
    });
    await new Promise<void>((resolve) => server.listen(webhook.port, webhook.host, resolve));
    await env.waitForWebhookServer();
    await restRequestOk(cluster, 'POST', '/apis/example.com/v1/namespaces/default/things', {
      ...{ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } },
    });
    assert.deepEqual(paths, ['/validate']);
    await env.stop();
    server.close();
    server.closeAllConnections();
  });

  it('is chosen by the environment, over which the option has precedence', async () => {
    process.env['USE_EXISTING_CLUSTER'] = 'TRUE';
    const attached = new TestEnvironment();
    assert.equal((await attached.start()).server, cluster.server);
    await attached.stop();
    const own = new TestEnvironment({ useExistingCluster: false });
    assert.notEqual((await own.start()).server, cluster.server);
    await own.stop();
  });

  it('needs complete credentials', async () => {
    const ca = await TinyCA.create();
    const { certPem, keyPem } = await ca.newClientCert('bob', ['dev']);
    assert.equal(certificateCommonName(certPem), 'bob');
    const rest: RestConfig = { server: '127.0.0.1:6443', caPem: ca.certificatePem, certPem, keyPem };
    const attach = (config: RestConfig) => new TestEnvironment({ useExistingCluster: true, config });
    const env = attach(rest);
    const { server, user, kubeconfigPath } = await env.start();
    assert.deepEqual([server, user], ['https://127.0.0.1:6443', 'bob']);
    assert.match(readFileSync(kubeconfigPath, 'utf8'), /current-context: envtest/);
    await env.stop();
    await assert.rejects(attach({ ...rest, caPem: ' ' }).start(), /options.config.caPem is empty/);
    await assert.rejects(attach({ ...rest, server: 'http://a' }).start(), /must be an https URL/);
    await assert.rejects(
      attach({ ...rest, certPem: 'x' }).start(),
      /the client certificate of options.config is invalid/,
    );
    process.env['KUBECONFIG'] = join(folder, 'none');
    await assert.rejects(new TestEnvironment({ useExistingCluster: true }).start(), /cannot read kubeconfig: .*none/);
  });
});
