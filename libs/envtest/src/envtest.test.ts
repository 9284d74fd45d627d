import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { envtest, envtestConfig, registerEnvtest } from './bun.ts';
import { deleteCRDs, installCRDs } from './crds.ts';
import { restRequest, restRequestOk } from './rest.ts';
import type { EnvtestConfig } from './options.ts';
import { TestEnvironment } from './test-environment.ts';
import { uninstallWebhooks } from './webhooks.ts';
import { createVitestGlobalSetup } from './vitest.ts';

const crd = (plural: string, kind: string, conversion = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    ...conversion,
  },
});
const validating = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: checks}
webhooks:
  - name: checks.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: Fail
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
    clientConfig: {service: {namespace: system, name: webhooks, path: /validate}}
`;

describe('TestEnvironment', () => {
  let env: TestEnvironment;
  let config: EnvtestConfig;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'apichain-envtest-'));
    writeFileSync(join(folder, 'things.yaml'), JSON.stringify(crd('things', 'Thing')));
    writeFileSync(join(folder, 'kustomization.yaml'), 'resources: [things.yaml]\n');
    writeFileSync(join(folder, 'checks.yaml'), validating);
    env = new TestEnvironment({
      crdDirectoryPaths: [folder],
      crds: [crd('gadgets', 'Gadget')],
      webhookInstallOptions: { paths: [join(folder, 'checks.yaml')] },
    });
    config = await env.start();
  });
  after(async () => {
    await env.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has a configuration for every client', async () => {
    assert.equal(env.config, config);
    assert.equal(config.server, `https://127.0.0.1:${config.apiServerPort}`);
    assert.equal(config.user, 'envtest-admin');
    assert.equal(Buffer.from(config.certData, 'base64').toString(), config.certPem);
    assert.equal(readFileSync(config.kubeconfigPath, 'utf8'), config.kubeconfigYaml);
    await restRequestOk(config, 'POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'test' },
    });
    for (const load of [
      (kubeConfig: KubeConfig) => kubeConfig.loadFromFile(config.kubeconfigPath),
      (kubeConfig: KubeConfig) => kubeConfig.loadFromString(config.kubeconfigYaml),
    ]) {
      const kubeConfig = new KubeConfig();
      load(kubeConfig);
      const { metadata } = await kubeConfig.makeApiClient(CoreV1Api).readNamespace({ name: 'test' });
      assert.equal(metadata?.name, 'test');
    }
    await assert.rejects(restRequestOk(config, 'GET', '/api/v1/namespaces/none'), /404/);
    await assert.rejects(env.start(), /already/);
  });

  it('installs and removes CRDs', async () => {
    assert.deepEqual(config.installedCRDs.sort(), ['gadgets.example.com', 'things.example.com']);
    const kinds = async () => {
      const { json } = await restRequestOk(config, 'GET', '/apis/example.com/v1');
      return (json as { resources: { kind: string }[] }).resources.map(({ kind }) => kind).sort();
    };
    assert.deepEqual(await kinds(), ['Gadget', 'Thing']);
    assert.deepEqual(await env.installCRDs([], { crds: [crd('parts', 'Part')] }), ['parts.example.com']);
    assert.deepEqual(await installCRDs(config, [], { crds: [crd('parts', 'Part')] }), ['parts.example.com']);
    assert.deepEqual(await env.uninstallCRDs([join(folder, 'things.yaml')]), ['things.example.com']);
    assert.deepEqual(await deleteCRDs(config, ['parts.example.com', 'none.example.com']), ['parts.example.com']);
    await assert.rejects(env.installCRDs([join(folder, 'missing')]), /does not exist/);
    assert.deepEqual(await env.installCRDs([join(folder, 'missing')], { errorIfPathMissing: false }), []);
  });

  it('adds users that RBAC authorizes', async () => {
    const path = '/api/v1/namespaces/default/secrets';
    const bob = await env.addUser({ name: 'bob', groups: ['readers'] });
    assert.deepEqual([bob.user, bob.groups], ['bob', ['readers']]);
    assert.ok(existsSync(bob.kubeconfigPath));
    assert.equal((await restRequest(bob, 'GET', path)).status, 403);
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await restRequestOk(config, 'POST', `${rbac}/clusterroles`, {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'reads-secrets' } },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }],
    });
    await restRequestOk(config, 'POST', `${rbac}/clusterrolebindings`, {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'readers' } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reads-secrets' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'readers' }],
    });
    assert.equal((await restRequest(bob, 'GET', path)).status, 200);
  });

  it('calls the webhooks of the test', async () => {
    const { webhook } = config;
    assert.ok(webhook !== undefined);
    assert.deepEqual(webhook.configurationNames, ['checks']);
    assert.equal(readFileSync(webhook.certPath, 'utf8'), webhook.certPem);
    const seen: string[] = [];
    const server = https.createServer({ cert: webhook.certPem, key: webhook.keyPem }, (request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const review = JSON.parse(text) as { apiVersion: string; kind: string; request: { uid: string; name: string } };
        const { uid, name } = review.request;
        const [path = ''] = (request.url ?? '').split('?');
        seen.push(`${path} ${name}`);
        const { apiVersion, kind } = review;
        const status = { code: 403, message: 'not this one' };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ apiVersion, kind, response: { uid, allowed: name !== 'bad', status } }));
      });
    });
    await assert.rejects(env.waitForWebhookServer(60), /no webhook server/);
    await new Promise<void>((resolve) => server.listen(webhook.port, webhook.host, resolve));
    try {
      await env.waitForWebhookServer();
      const create = (name: string) =>
        restRequest(config, 'POST', '/api/v1/namespaces/default/configmaps', {
          ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
        });
      const refused = await create('bad');
      assert.equal(refused.status, 403, refused.text);
      assert.match(refused.text, /admission webhook \\"checks.example.com\\" denied the request: not this one/);
      assert.equal((await create('good')).status, 201);
      // The server writes ConfigMaps too, and they are also reviewed.
      const own = seen.filter((review) => /(?:bad|good)$/.test(review));
      assert.deepEqual(own, ['/validate bad', '/validate good']);
    } finally {
      server.close();
      server.closeAllConnections();
    }
    const gone = await uninstallWebhooks(config, [
      { kind: 'ValidatingWebhookConfiguration', name: 'checks' },
      { kind: 'MutatingWebhookConfiguration', name: 'none' },
    ]);
    assert.deepEqual(gone, ['checks']);
  });
});

describe('a TestEnvironment', () => {
  it('can be stopped and restarted, and accepts flags', async () => {
    const env = new TestEnvironment({
      apiServerFlags: { 'authorization-mode': 'AlwaysAllow', 'allow-privileged': null },
    });
    assert.throws(() => env.config, /not started/);
    for (let round = 0; round < 2; round++) {
      const { kubeconfigPath } = await env.start();
      assert.equal((await restRequest(await env.addUser({ name: 'bob' }), 'GET', '/api/v1/nodes')).status, 200);
      await env.stop();
      assert.ok(!existsSync(kubeconfigPath));
    }
    await env.stop();
    await assert.rejects(new TestEnvironment({ crdDirectoryPaths: ['/no/such/folder'] }).start(), /does not exist/);
  });

  it('is shared by the files of a vitest run', async () => {
    let provided: EnvtestConfig | undefined;
    const tearDown = await createVitestGlobalSetup()({ provide: (_key, value) => (provided = value) });
    assert.ok(provided !== undefined);
    assert.deepEqual(structuredClone(provided), provided);
    assert.equal((await restRequest(provided, 'GET', '/readyz')).status, 200);
    await tearDown();
    await assert.rejects(restRequest(provided, 'GET', '/readyz'));
  });

  it('is shared by the tests of a process whose hooks register it', async () => {
    const hooks: (() => unknown)[] = [];
    const register = (hook: () => unknown) => hooks.push(hook);
    assert.throws(envtest, /call registerEnvtest first/);
    registerEnvtest({ beforeAll: register, afterAll: register });
    assert.throws(() => registerEnvtest({ beforeAll: register, afterAll: register }), /twice/);
    assert.throws(envtestConfig, /not started/);
    await hooks[0]?.();
    assert.equal((await restRequest(envtestConfig(), 'GET', '/readyz')).status, 200);
    assert.equal((await envtest().addUser({ name: 'bob' })).user, 'bob');
    await hooks[1]?.();
    assert.throws(envtest, /call registerEnvtest first/);
  });
});
