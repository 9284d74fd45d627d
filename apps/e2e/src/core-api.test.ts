import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { namespace } from './accounts.ts';
import { BesideCore, flunder, group, mayUseFlunders, path, startFlunderServer } from './beside-core.ts';
import { waitFor } from './chain.ts';
import { call } from './http.ts';

describe('an extension API server that uses the core API', () => {
  const core = new BesideCore();

  before(async () => {
    await core.start();
  });
  after(() => core.stop());

  /** How many requests for a resource the core API has answered, with this status if one is named. */
  const requestsOf = async (resource: string, code = '') => {
    const { text } = await call(core.chain, 'GET', '/metrics');
    return text
      .split('\n')
      .filter((line) => line.startsWith('apiserver_request_total{'))
      .filter((line) => line.includes(`resource="${resource}"`) && line.includes(`code="${code}`))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };

  it('is ready when it knows the configuration of admission', async () => {
    const response = await core.direct('GET', '/readyz?verbose');
    assert.equal(response.status, 200, response.text);
    assert.match(response.text, /\[\+\]poststarthook\/start-apiserver-admission-initializer ok/);
  });

  it('accepts the tokens and client certificates of the core API, and no others', async () => {
    assert.equal((await core.direct('GET', path('default'), { as: core.alice })).status, 200);
    assert.equal((await core.asAdmin('GET', path('default'))).status, 200);
    const refused = await core.direct('GET', path('default'), { headers: { authorization: 'Bearer nonsense' } });
    assert.equal(refused.status, 401, refused.text);
  });

  it('asks once for a token within the lifetime of the review', async () => {
    const reviews = () => requestsOf('tokenreviews');
    await core.direct('GET', path('default'), { as: core.stranger });
    const before = await reviews();
    for (let i = 0; i < 3; i++) await core.direct('GET', path('default'), { as: core.stranger });
    assert.equal(await reviews(), before);
    await core.direct('GET', path('default'), { headers: { authorization: 'Bearer other' } });
    assert.equal(await reviews(), before + 1);
  });

  it('refuses with the name of the user and the reason of the core API', async () => {
    const user = `system:serviceaccount:${namespace}:stranger`;
    const denied = await core.direct('GET', path('default'), { as: core.stranger });
    assert.equal(denied.status, 403);
    assert.equal(
      denied.json<{ message: string }>().message,
      `flunders.${group} is forbidden: User "${user}" cannot list resource "flunders" in API group "${group}" in the namespace "default"`,
    );
    const anonymous = await core.direct('GET', path('default'));
    assert.match(anonymous.text, /User \\"system:anonymous\\" cannot list/);
    const forged = await core.direct('GET', path('default'), { headers: { 'x-remote-user': 'kubernetes-admin' } });
    assert.match(forged.text, /User \\"system:anonymous\\" cannot list/);
  });

  it('learns of a new right when the refusal is no longer cached', async () => {
    await core.accounts.grant('stranger', mayUseFlunders);
    await waitFor(
      async () => (await core.direct('GET', path('default'), { as: core.stranger })).status === 200,
      5_000,
      () => 'the right does not count',
    );
  });

  it('creates objects only in namespaces of the core API', async () => {
    const missing = await core.direct('POST', path('nowhere'), { as: core.alice, body: flunder('a') });
    assert.equal(missing.status, 404, missing.text);
    assert.equal(missing.json<{ message: string }>().message, 'namespaces "nowhere" not found');
    await core.accounts.make('/api/v1/namespaces', { metadata: { name: 'new' } });
    const made = await core.direct('POST', path('new'), { as: core.alice, body: flunder('a') });
    assert.equal(made.status, 201, made.text);
  });

  it('believes the front proxy of the core API, as its ConfigMap describes it at that time', async () => {
    await core.accounts.make('/api/v1/namespaces/default/services', {
      metadata: { name: 'wardle' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await core.accounts.make('/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: `v1.${group}` },
      spec: {
        ...{ group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
        caBundle: Buffer.from(core.servingCa).toString('base64'),
        service: { namespace: 'default', name: 'wardle', port: core.extension.port },
      },
    });
    const proxied = () => core.alice.send('GET', path('new'));
    const settles = (status: number) =>
      waitFor(
        async () => (await proxied()).status === status,
        10_000,
        () => `not ${status}\n${core.extension.log.join('')}`,
      );
    await settles(200);
    const configMap = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
    const set = async (data: Record<string, string>) => {
      const response = await call(core.chain, 'PATCH', configMap, {
        body: JSON.stringify({ data }),
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      assert.equal(response.status, 200, response.text);
      return response;
    };
    const before = (await call(core.chain, 'GET', configMap)).json<{ data: Record<string, string> }>().data;
    await set({ 'requestheader-allowed-names': '["somebody"]' });
    await settles(401);
    await set({ 'requestheader-allowed-names': 'not a list' });
    await waitFor(
      () => core.extension.log.some((line) => line.includes('the last good state stays in effect')),
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
    const asBefore = () => core.asAdmin('POST', `${path('default')}?dryRun=All`, flunder('d'));
    assert.equal((await asBefore()).status, 201);
    await core.chain.stop();
    const away = await asBefore();
    assert.equal(away.status, 201, away.text);
    const unknown = await core.asAdmin('POST', `${path('later')}?dryRun=All`, flunder('d'));
    assert.equal(unknown.status, 500, unknown.text);
    assert.match(unknown.text, /reading namespaces \\"later\\" from the core API failed/);
    core.chain = await core.startCore();
    await core.accounts.make('/api/v1/namespaces', { metadata: { name: 'later' } });
    await waitFor(
      async () => (await core.asAdmin('POST', `${path('later')}?dryRun=All`, flunder('d'))).status === 201,
      15_000,
      () => core.extension.log.join(''),
    );
    await delay(100);
    assert.equal((await core.direct('GET', path('default'), { as: core.alice })).status, 200);
  });

  it('says what it may not read, once in a while', async () => {
    const poor = await core.accounts.account('poor', {
      apiGroups: ['authorization.k8s.io', 'authentication.k8s.io'],
      resources: ['subjectaccessreviews', 'tokenreviews'],
      verbs: ['create'],
    });
    const flags = core.kubeconfigFlags(core.kubeconfigOf('poor', poor));
    await assert.rejects(startFlunderServer(flags), {
      name: 'FlagError',
      message: new RegExp(
        `^unable to read ConfigMap kube-system/extension-apiserver-authentication: .*User "system:serviceaccount:${namespace}:poor" cannot get .*extension-apiserver-authentication-reader`,
      ),
    });
    const refusals = () => requestsOf('validatingwebhookconfigurations', '403');
    const before = await refusals();
    const server = await startFlunderServer([...flags, '--authentication-tolerate-lookup-failure']);
    try {
      await waitFor(
        async () => (await refusals()) >= before + 3,
        60_000,
        () => `it does not try again:\n${server.log.join('')}`,
      );
      const about = server.log.filter((line) => line.includes('cannot follow validatingwebhookconfigurations'));
      assert.equal(about.length, 1, server.log.join(''));
      assert.match(about[0] ?? '', /its user needs the verbs get, list and watch: .*cannot list resource/);
    } finally {
      await server.close();
    }
  });
});
