import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@apichain/meta';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { Accounts, namespace, type Account } from './accounts.ts';
import { type Chain, startChain, waitFor } from './chain.ts';
import { startFlunderServer, type FlunderServer } from './flunder-server.ts';
import { call, type Answer } from './http.ts';
import { startWebhooks, type TestWebhooks } from './webhook-server.ts';

const group = 'wardle.example.com';
const path = (inNamespace: string) => `/apis/${group}/v1/namespaces/${inNamespace}/flunders`;
const flunder = (name: string, fields: Record<string, unknown> = {}) =>
  JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Flunder', metadata: { name }, ...fields });
const mayUseFlunders = { apiGroups: [group], resources: ['flunders'], verbs: ['get', 'list', 'create'] };

describe('an extension API server that uses the core API', () => {
  const directory = mkdtempSync(join(tmpdir(), 'apichain-core-api-'));
  const accounts = new Accounts(() => chain);
  let port: number;
  let chain: Chain;
  let extension: FlunderServer;
  let alice: Account;
  let stranger: Account;
  let webhooks: TestWebhooks;

  /** On the same port each time. */
  const startCore = async (): Promise<Chain> => {
    const args = ['--in-process', `--secure-port=${port}`];
    const started = await startChain({ dataDirectory: join(directory, 'data'), args });
    return { ...started, url: `https://127.0.0.1:${port}` };
  };

  /** A kubeconfig of a service account. */
  const kubeconfigOf = (name: string, account: Account): string => {
    const file = join(directory, `${name}.kubeconfig`);
    const token = join(directory, `${name}.token`);
    writeFileSync(token, account.token);
    writeFileSync(join(directory, 'ca.crt'), chain.admin.ca);
    const config = {
      clusters: [{ name: 'core', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': 'ca.crt' } }],
      users: [{ name: 'server', user: { tokenFile: token } }],
      contexts: [{ name: 'core', context: { cluster: 'core', user: 'server' } }],
      'current-context': 'core',
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  };
  const kubeconfigFlags = (file: string) =>
    ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${file}`);

  /** A request to the extension API server itself. */
  const direct = (
    method: string,
    target: string,
    { as, body, headers }: { as?: Account; body?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> =>
    call({ url: extension.url, admin: { ...chain.admin, ca: servingCa } }, method, target, {
      admin: false,
      headers: { ...(as === undefined ? {} : { authorization: `Bearer ${as.token}` }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const asAdmin = (method: string, target: string, body?: string): Promise<Answer> =>
    call(
      { url: extension.url, admin: { ...chain.admin, ca: servingCa } },
      method,
      target,
      body === undefined ? {} : { body },
    );
  let servingCa: string;

  before(async () => {
    port = await freePort();
    chain = await startCore();
    webhooks = await startWebhooks();
    await accounts.make('/api/v1/namespaces', { metadata: { name: namespace } });
    const server = await accounts.account(
      'server',
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['flowcontrol.apiserver.k8s.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    );
    await accounts.make('/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings', {
      metadata: { name: 'wardle-auth-reader' },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'Role',
        name: 'extension-apiserver-authentication-reader',
      },
      subjects: [{ kind: 'ServiceAccount', namespace, name: 'server' }],
    });
    alice = await accounts.account('alice', mayUseFlunders);
    stranger = await accounts.account('stranger');
    const { certificate, key, ca } = await serving();
    servingCa = ca;
    writeFileSync(join(directory, 'tls.crt'), certificate);
    writeFileSync(join(directory, 'tls.key'), key);
    extension = await startFlunderServer([
      ...kubeconfigFlags(kubeconfigOf('server', server)),
      `--tls-cert-file=${join(directory, 'tls.crt')}`,
      `--tls-private-key-file=${join(directory, 'tls.key')}`,
      '--authorization-webhook-cache-unauthorized-ttl=100ms',
    ]);
    await extension.ready();
  });
  after(async () => {
    webhooks?.close();
    await extension?.close();
    await chain?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function serving() {
    const ca = await createCA('wardle-ca');
    const pair = await issueServing(ca, 'wardle', ['localhost', '127.0.0.1', 'wardle.default.svc']);
    return { ...pair, ca: ca.certificate };
  }

  it('is ready when it knows the configuration of admission', async () => {
    const answer = await direct('GET', '/readyz?verbose');
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /\[\+\]poststarthook\/start-apiserver-admission-initializer ok/);
  });

  it('accepts the tokens and client certificates of the core API, and no others', async () => {
    assert.equal((await direct('GET', path('default'), { as: alice })).status, 200);
    assert.equal((await asAdmin('GET', path('default'))).status, 200);
    const refused = await direct('GET', path('default'), { headers: { authorization: 'Bearer nonsense' } });
    assert.equal(refused.status, 401, refused.text);
  });

  it('asks once for a token within the lifetime of the answer', async () => {
    const reviews = async () => {
      const { text } = await call(chain, 'GET', '/metrics');
      const counts = text.matchAll(/^apiserver_request_total\{.*resource="tokenreviews".*\} (\d+)/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    await direct('GET', path('default'), { as: stranger });
    const before = await reviews();
    for (let i = 0; i < 3; i++) await direct('GET', path('default'), { as: stranger });
    assert.equal(await reviews(), before);
    await direct('GET', path('default'), { headers: { authorization: 'Bearer other' } });
    assert.equal(await reviews(), before + 1);
  });

  it('refuses with the name of the user and the reason of the core API', async () => {
    const user = `system:serviceaccount:${namespace}:stranger`;
    const denied = await direct('GET', path('default'), { as: stranger });
    assert.equal(denied.status, 403);
    assert.equal(
      denied.json<{ message: string }>().message,
      `flunders.${group} is forbidden: User "${user}" cannot list resource "flunders" in API group "${group}" in the namespace "default"`,
    );
    const anonymous = await direct('GET', path('default'));
    assert.match(anonymous.text, /User \\"system:anonymous\\" cannot list/);
    const forged = await direct('GET', path('default'), { headers: { 'x-remote-user': 'kubernetes-admin' } });
    assert.match(forged.text, /User \\"system:anonymous\\" cannot list/);
  });

  it('learns of a new right when the refusal is no longer cached', async () => {
    await accounts.grant('stranger', mayUseFlunders);
    await waitFor(
      async () => (await direct('GET', path('default'), { as: stranger })).status === 200,
      5_000,
      () => 'the right does not count',
    );
  });

  it('creates objects only in namespaces of the core API', async () => {
    const missing = await direct('POST', path('nowhere'), { as: alice, body: flunder('a') });
    assert.equal(missing.status, 404, missing.text);
    assert.equal(missing.json<{ message: string }>().message, 'namespaces "nowhere" not found');
    await accounts.make('/api/v1/namespaces', { metadata: { name: 'new' } });
    const made = await direct('POST', path('new'), { as: alice, body: flunder('a') });
    assert.equal(made.status, 201, made.text);
  });

  it('applies policies and webhooks of the core API', async () => {
    const registration = '/apis/admissionregistration.k8s.io/v1';
    const rule = { apiGroups: [group], apiVersions: ['v1'], resources: ['flunders'], operations: ['CREATE'] };
    await accounts.make('/api/v1/namespaces/new/configmaps', { metadata: { name: 'limits' }, data: { color: 'red' } });
    await accounts.grant('server', { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] });
    await accounts.make(`${registration}/validatingadmissionpolicies`, {
      metadata: { name: 'flunders' },
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: { resourceRules: [rule] },
        validations: [
          {
            expression: '!has(object.color) || object.color != params.data.color',
            messageExpression: "'no ' + params.data.color + ' in ' + namespaceObject.metadata.name",
          },
        ],
      },
    });
    await accounts.make(`${registration}/validatingadmissionpolicybindings`, {
      metadata: { name: 'flunders' },
      spec: {
        policyName: 'flunders',
        validationActions: ['Deny'],
        paramRef: { name: 'limits', namespace: 'new', parameterNotFoundAction: 'Deny' },
      },
    });
    await waitFor(
      async () =>
        (await direct('POST', `${path('new')}?dryRun=All`, { as: alice, body: flunder('b', { color: 'red' }) }))
          .status === 422,
      10_000,
      () => `the policy is not applied\n${extension.log.join('')}`,
    );
    const denied = await direct('POST', path('new'), { as: alice, body: flunder('b', { color: 'red' }) });
    assert.match(
      denied.text,
      /ValidatingAdmissionPolicy 'flunders' with binding 'flunders' denied request: no red in new/,
    );

    webhooks.handlers.set('/paint', () => ({
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify([{ op: 'add', path: '/color', value: 'blue' }])).toString('base64'),
    }));
    await accounts.make(`${registration}/mutatingwebhookconfigurations`, {
      metadata: { name: 'painter' },
      webhooks: [
        {
          name: 'paint.example.com',
          clientConfig: webhooks.clientConfig('/paint'),
          rules: [rule],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const painted = async (dryRun = '') => {
      const answer = await direct('POST', path('new') + dryRun, { as: alice, body: flunder('c') });
      return answer.json<{ color?: string }>().color;
    };
    await waitFor(
      async () => (await painted('?dryRun=All')) === 'blue',
      5_000,
      () => 'the webhook is not called',
    );
    assert.equal(await painted(), 'blue');
    for (const configuration of ['mutatingwebhookconfigurations/painter', 'validatingadmissionpolicybindings/flunders'])
      assert.equal((await call(chain, 'DELETE', `${registration}/${configuration}`)).status, 200);
  });

  it('reads parameters of custom kinds from the core API', async () => {
    const limits = 'limits.example.com';
    const names = { plural: 'colorlimits', singular: 'colorlimit', kind: 'ColorLimit' };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await accounts.make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `colorlimits.${limits}` },
      spec: { group: limits, scope: 'Cluster', names, versions: [{ name: 'v1', served: true, storage: true, schema }] },
    });
    const collection = `/apis/${limits}/v1/colorlimits`;
    await waitFor(
      async () => (await call(chain, 'GET', collection)).status === 200,
      10_000,
      () => 'the CRD is not served',
    );
    await accounts.make(collection, {
      apiVersion: `${limits}/v1`,
      kind: 'ColorLimit',
      metadata: { name: 'limit' },
      color: 'green',
    });
    await accounts.grant('server', {
      apiGroups: [limits],
      resources: ['colorlimits'],
      verbs: ['get', 'list', 'watch'],
    });
    const registration = '/apis/admissionregistration.k8s.io/v1';
    await accounts.make(`${registration}/validatingadmissionpolicies`, {
      metadata: { name: 'limited' },
      spec: {
        paramKind: { apiVersion: `${limits}/v1`, kind: 'ColorLimit' },
        matchConstraints: {
          resourceRules: [{ apiGroups: [group], apiVersions: ['v1'], resources: ['flunders'], operations: ['CREATE'] }],
        },
        validations: [{ expression: '!has(object.color) || object.color != params.color', message: 'limited' }],
      },
    });
    await accounts.make(`${registration}/validatingadmissionpolicybindings`, {
      metadata: { name: 'limited' },
      spec: {
        policyName: 'limited',
        validationActions: ['Deny'],
        paramRef: { name: 'limit', parameterNotFoundAction: 'Deny' },
      },
    });
    const create = (color: string) =>
      direct('POST', `${path('new')}?dryRun=All`, { as: alice, body: flunder('e', { color }) });
    await waitFor(
      async () => /denied request: limited/.test((await create('green')).text),
      10_000,
      () => `the policy is not applied\n${extension.log.join('')}`,
    );
    const allowed = await create('yellow');
    assert.equal(allowed.status, 201, allowed.text);
    await call(chain, 'DELETE', `${registration}/validatingadmissionpolicybindings/limited`);
    await waitFor(
      async () => (await create('green')).status === 201,
      5_000,
      () => 'the policy is still applied',
    );
  });

  it('believes the front proxy of the core API, as its ConfigMap describes it at that time', async () => {
    await accounts.make('/api/v1/namespaces/default/services', {
      metadata: { name: 'wardle' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await accounts.make('/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: `v1.${group}` },
      spec: {
        ...{ group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
        caBundle: Buffer.from(servingCa).toString('base64'),
        service: { namespace: 'default', name: 'wardle', port: extension.port },
      },
    });
    const proxied = () => alice.send('GET', path('new'));
    const settles = (status: number) =>
      waitFor(
        async () => (await proxied()).status === status,
        10_000,
        () => `not ${status}\n${extension.log.join('')}`,
      );
    await settles(200);
    const configMap = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
    const set = async (data: Record<string, string>) => {
      const answer = await call(chain, 'PATCH', configMap, {
        body: JSON.stringify({ data }),
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      assert.equal(answer.status, 200, answer.text);
      return answer;
    };
    const before = (await call(chain, 'GET', configMap)).json<{ data: Record<string, string> }>().data;
    await set({ 'requestheader-allowed-names': '["somebody"]' });
    await settles(401);
    await set({ 'requestheader-allowed-names': 'not a list' });
    await waitFor(
      () => extension.log.some((line) => line.includes('the last good state stays in effect')),
      5_000,
      () => 'the mistake is not logged',
    );
    assert.equal((await proxied()).status, 401);
    await set({ ...before });
    await settles(200);
    await set({ 'requestheader-username-headers': '["X-Other-User"]' });
    await waitFor(
      async () => /system:anonymous|Unauthorized/.test((await proxied()).text),
      5_000,
      () => 'the header does not change',
    );
    await set({ ...before });
    await settles(200);
  });

  it('serves while the core API is away, and catches up when it is back', async () => {
    const asBefore = () => asAdmin('POST', `${path('default')}?dryRun=All`, flunder('d'));
    assert.equal((await asBefore()).status, 201);
    await chain.stop();
    const away = await asBefore();
    assert.equal(away.status, 201, away.text);
    const unknown = await asAdmin('POST', `${path('later')}?dryRun=All`, flunder('d'));
    assert.equal(unknown.status, 500, unknown.text);
    assert.match(unknown.text, /reading namespaces \\"later\\" from the core API failed/);
    chain = await startCore();
    await accounts.make('/api/v1/namespaces', { metadata: { name: 'later' } });
    await waitFor(
      async () => (await asAdmin('POST', `${path('later')}?dryRun=All`, flunder('d'))).status === 201,
      15_000,
      () => extension.log.join(''),
    );
    await delay(100);
    assert.equal((await direct('GET', path('default'), { as: alice })).status, 200);
  });

  it('says what it may not read, once in a while', async () => {
    const poor = await accounts.account('poor', {
      apiGroups: ['authorization.k8s.io', 'authentication.k8s.io'],
      resources: ['subjectaccessreviews', 'tokenreviews'],
      verbs: ['create'],
    });
    const flags = kubeconfigFlags(kubeconfigOf('poor', poor));
    await assert.rejects(startFlunderServer(flags), {
      name: 'FlagError',
      message: new RegExp(
        `^unable to read ConfigMap kube-system/extension-apiserver-authentication: .*User "system:serviceaccount:${namespace}:poor" cannot get .*extension-apiserver-authentication-reader`,
      ),
    });
    const server = await startFlunderServer([...flags, '--authentication-tolerate-lookup-failure']);
    try {
      await delay(2_000);
      const about = server.log.filter((line) => line.includes('cannot follow validatingwebhookconfigurations'));
      assert.equal(about.length, 1, server.log.join(''));
      assert.match(about[0] ?? '', /its user needs the verbs get, list and watch: .*cannot list resource/);
    } finally {
      await server.close();
    }
  });
});
