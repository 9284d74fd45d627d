import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { RestClient, httpTransport } from '@apichain/client';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { call } from './call.fixture.ts';
import { signedUser } from './signed-user.ts';
import { startChain } from './start-chain.ts';
import type { TestChain } from './test-chain.ts';
import { thingsCrd } from './things.fixture.ts';

const hooks = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'hooks' },
  webhooks: [
    {
      name: 'hooks.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { service: { name: 'hooks', namespace: 'default', path: '/check' } },
      rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] }],
    },
  ],
};

const thing = (name: string) => ({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name } });

describe('startChain with an existing cluster', function () {
  /** It stands for the cluster. */
  let cluster: TestChain;
  let folder: string;
  const environment = { ...process.env };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'apichain-existing-'));
    cluster = await startChain({ useExistingCluster: false, flags: ['--authorization-mode=RBAC'] });
  });
  beforeEach(() => {
    process.env['APICHAIN_USE_EXISTING_CLUSTER'] = 'true';
    process.env['KUBECONFIG'] = [join(folder, 'missing'), cluster.kubeconfigFile].join(delimiter);
  });
  afterEach(() => {
    for (const name of ['APICHAIN_USE_EXISTING_CLUSTER', 'KUBECONFIG']) {
      const value = environment[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  after(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const webhookUrl = async () => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hooks';
    return (await call(cluster, path)).status;
  };

  it('attaches to it, and leaves it running', async () => {
    const chain = await startChain({
      crds: [thingsCrd],
      manifests: [thing('first')],
      webhooks: { configurations: [hooks], handlers: { '/check': ({ request }) => request.name !== 'bad' } },
      flags: ['--authorization-mode=RBAC'],
    });
    assert.equal(chain.isExistingCluster, true);
    assert.equal(chain.url, cluster.url);
    assert.equal(chain.admin.name, 'kubernetes-admin');
    const config = new KubeConfig();
    config.loadFromOptions(chain.adminConfig);
    assert.ok((await config.makeApiClient(CoreV1Api).listNamespace()).items.length > 0);
    await chain.apply(thing('good'));
    await assert.rejects(chain.apply(thing('bad')), /denied the request/);
    assert.deepEqual(
      chain.webhooks.calls.map(({ path }) => path),
      ['/check', '/check'],
    );
    assert.match(readFileSync(chain.kubeconfigFile, 'utf8'), /client-key-data/);
    assert.equal(await webhookUrl(), 200);

    await chain.stop();
    assert.ok(!existsSync(chain.kubeconfigFile));
    assert.equal(await webhookUrl(), 404, 'a webhook of an ended process would block the cluster');
    assert.equal((await call(cluster, '/apis/example.com/v1/namespaces/default/things/first')).status, 200);
  });

  it('says what such a cluster does not have', async () => {
    const service = { group: 'example.com', version: 'v1', resources: [], handler: () => undefined };
    await assert.rejects(startChain({ apiServices: [service] }), /does not have the option apiServices/);
    await using chain = await startChain();
    for (const use of [
      () => chain.snapshot(),
      () => chain.faults.clear(),
      () => chain.clock.now(),
      () => chain.requests,
      () => chain.auditEvents,
    ])
      assert.throws(use, /an existing cluster does not have \w+: it needs a chain in this process/);
    await assert.rejects(chain.issueServing(['a']), /issueServing/);
    chain.clearRequests();
  });

  it('gives users certificates that the cluster signs', async () => {
    await using cluster = await startChain({
      useExistingCluster: false,
      controllers: ['csrsigning'],
      flags: ['--authorization-mode=RBAC'],
    });
    process.env['KUBECONFIG'] = cluster.kubeconfigFile;
    await using chain = await startChain({
      users: [{ name: 'jane', groups: ['developers', 'testers'] }],
    });
    const bob = await chain.addUser({ name: 'bob' });
    assert.deepEqual(Object.keys(chain.users), ['jane', 'bob']);
    const { jane } = chain.users;
    assert.ok(jane !== undefined);
    for (const [user, groups] of [
      [jane, ['developers', 'testers', 'system:authenticated']],
      [bob, ['system:authenticated']],
    ] as const) {
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const { json } = await call(chain, '/apis/authentication.k8s.io/v1/selfsubjectreviews', review, user);
      const { status } = json as { status: { userInfo: { username: string; groups: string[] } } };
      assert.equal(status.userInfo.username, user.name);
      assert.deepEqual(status.userInfo.groups, groups);
    }
    await assert.rejects(chain.addUser({ name: 'root', groups: ['system:masters'] }), /system:masters/);
    const left = await call(cluster, '/apis/certificates.k8s.io/v1/certificatesigningrequests');
    assert.deepEqual(left.json['items'], []);
  });

  it('says when nobody signs certificates', async () => {
    const { url, admin } = cluster;
    const client = new RestClient(httpTransport({ url, ca: admin.ca, cert: admin.cert, key: admin.key }));
    await assert.rejects(
      signedUser(client, { name: 'bob' }, 200),
      /the certificate of the user bob.*nobody signs for kubernetes.io\/kube-apiserver-client/,
    );
    await client.close();
  });

  it('is an option, which takes precedence over the environment', async () => {
    await using own = await startChain({ useExistingCluster: false });
    assert.equal(own.isExistingCluster, false);
    delete process.env['APICHAIN_USE_EXISTING_CLUSTER'];
    await using attached = await startChain({ useExistingCluster: true });
    assert.equal(attached.url, cluster.url);
  });

  it('needs a kubeconfig with a client certificate', async () => {
    process.env['KUBECONFIG'] = join(folder, 'missing');
    await assert.rejects(
      startChain(),
      /no kubeconfig of an existing cluster \(ENOENT.*missing'\); KUBECONFIG names one/,
    );
    const token = join(folder, 'token.kubeconfig');
    writeFileSync(token, cluster.kubeconfig.replace(/client-certificate-data: .*/, 'token: abc'));
    process.env['KUBECONFIG'] = token;
    await assert.rejects(startChain(), /token.kubeconfig: the current context needs .* a client certificate/);
  });
});
