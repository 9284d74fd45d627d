import assert from 'node:assert/strict';
import type { ReviewWebhook } from '@apichain/client';
import { newNotFound, type KubeObject } from '@apichain/meta';
import { BootstrapTokenAuthenticator } from './bootstrap-token-authenticator.ts';
import { WebhookTokenAuthenticator } from './webhook-token-authenticator.ts';

describe('bootstrap tokens', () => {
  const good = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': 'system:bootstrappers:workers,system:bootstrappers:kubeadm:default-node-token',
    expiration: '2999-01-01T00:00:00Z',
  };
  const secret = (data: Readonly<Record<string, string>>, more: Partial<KubeObject> = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v).toString('base64')])),
    ...more,
  });
  const authenticated = (token: string, stored?: KubeObject) => {
    const get = (_resource: string, namespace: string, name: string) => {
      if (stored !== undefined && namespace === 'kube-system' && name === stored.metadata.name)
        return Promise.resolve(stored);
      return Promise.reject(newNotFound({ group: '', resource: 'secrets' }, name));
    };
    return new BootstrapTokenAuthenticator({ get }).authenticateToken(token);
  };
  const userOf = async (token: string, stored?: KubeObject) => (await authenticated(token, stored))?.user;
  const token = 'abcdef.0123456789abcdef';

  it('authenticate the user of their id', async () => {
    assert.deepEqual(await userOf(token, secret(good)), {
      name: 'system:bootstrap:abcdef',
      uid: '',
      groups: [
        'system:bootstrappers',
        'system:bootstrappers:kubeadm:default-node-token',
        'system:bootstrappers:workers',
      ],
      extra: {},
    });
    const { expiration, 'auth-extra-groups': extra, ...least } = good;
    assert.ok(expiration !== '' && extra !== '');
    assert.deepEqual((await userOf(token, secret(least)))?.groups, ['system:bootstrappers']);
  });

  it('tell when they expire, if they do', async () => {
    const { expiration, ...least } = good;
    assert.equal((await authenticated(token, secret(good)))?.expiresAt, Date.parse(expiration));
    assert.deepEqual(Object.keys((await authenticated(token, secret(least))) ?? {}), ['user']);
  });

  it('authenticate no user when a field is invalid', async () => {
    assert.equal(await userOf(token), undefined);
    assert.equal(await userOf('abcdef.0123456789abcdeX', secret(good)), undefined);
    assert.equal(await userOf('abcdef.0123456789abcdee', secret(good)), undefined);
    assert.equal(await userOf(token, secret(good, { type: 'Opaque' })), undefined);
    const metadata = { name: 'bootstrap-token-abcdef', deletionTimestamp: '2020-01-01T00:00:00Z' };
    assert.equal(await userOf(token, secret(good, { metadata })), undefined);
    for (const bad of [
      { 'token-id': 'fedcba' },
      { expiration: '2020-01-01T00:00:00Z' },
      { expiration: 'soon' },
      { expiration: '2999' },
      { expiration: '2999-01-01' },
      { expiration: '2999-02-30T00:00:00Z' },
      { 'usage-bootstrap-authentication': 'false' },
      { 'auth-extra-groups': 'system:masters' },
    ])
      assert.equal(await userOf(token, secret({ ...good, ...bad })), undefined, JSON.stringify(bad));
  });
});

describe('tokens that a webhook authenticates', () => {
  const asking = (status: Record<string, unknown>, apiAudiences: readonly string[] = ['api']) => {
    const reviews: unknown[] = [];
    const webhook: Pick<ReviewWebhook, 'status'> = {
      status: (review) => {
        reviews.push(review);
        return Promise.resolve(status);
      },
    };
    const authenticator = new WebhookTokenAuthenticator({ webhook, version: 'v1', apiAudiences });
    return { authenticator, reviews };
  };
  const user = { username: 'jane', uid: '42', groups: ['g'], extra: { scopes: ['a'] } };

  it('authenticate the user of the review', async () => {
    const { authenticator, reviews } = asking({ authenticated: true, user });
    assert.deepEqual(await authenticator.authenticateToken('t'), {
      user: { name: 'jane', uid: '42', groups: ['g'], extra: { scopes: ['a'] } },
      audiences: ['api'],
    });
    assert.deepEqual(reviews, [
      {
        kind: 'TokenReview',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: {},
        spec: { token: 't', audiences: ['api'] },
        status: { user: {} },
      },
    ]);
  });

  it('are valid for the audiences of the review, or for this API', async () => {
    const named = asking({ authenticated: true, user, audiences: ['a', 'b'] });
    assert.deepEqual((await named.authenticator.authenticateToken('t', ['b', 'c']))?.audiences, ['b']);
    assert.equal(await named.authenticator.authenticateToken('t'), undefined);
    const silent = asking({ authenticated: true, user });
    assert.equal(await silent.authenticator.authenticateToken('t', ['other']), undefined);
  });

  it('authenticate nobody when a member of the review has another type', async () => {
    for (const status of [
      { authenticated: 'true', user },
      { authenticated: true, user: 'jane' },
      { authenticated: true, user: [user] },
      { authenticated: true, user: { ...user, username: 1 } },
      { authenticated: true, user: { ...user, uid: {} } },
      { authenticated: true, user: { ...user, groups: 'g' } },
      { authenticated: true, user: { ...user, groups: [1] } },
      { authenticated: true, user: { ...user, extra: ['a'] } },
      { authenticated: true, user: { ...user, extra: { scopes: 'a' } } },
      { authenticated: true, user, audiences: 'api' },
      { authenticated: true, user, audiences: { api: true } },
    ])
      await assert.rejects(
        asking(status).authenticator.authenticateToken('t'),
        /json: cannot unmarshal/,
        JSON.stringify(status),
      );
    const sparse = asking({
      authenticated: true,
      user: { username: 'jane', groups: null, extra: null },
      audiences: null,
    });
    assert.deepEqual((await sparse.authenticator.authenticateToken('t'))?.user.groups, []);
  });

  it('are unknown, or invalid for the reason of the webhook', async () => {
    assert.equal(await asking({ authenticated: false }).authenticator.authenticateToken('t'), undefined);
    await assert.rejects(
      asking({ authenticated: false, error: 'expired' }).authenticator.authenticateToken('t'),
      /expired/,
    );
  });
});
