import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plain } from '@apichain/meta';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call } from './http.ts';
import { startTokenProvider } from './token-provider.ts';

interface Review {
  readonly kind: string;
  readonly spec: Plain & { readonly resourceAttributes?: Plain };
}

/** Authenticates tokens. carol may do everything except delete; a review of mallory makes the webhook fail. */
function decide({ kind, spec }: Review): Plain | undefined {
  if (kind === 'TokenReview') {
    const { token } = spec;
    if (token !== 'carols' && token !== 'mallorys') return { authenticated: false };
    return { authenticated: true, user: { username: token === 'carols' ? 'carol' : 'mallory', groups: ['remote'] } };
  }
  if (spec['user'] === 'mallory') return undefined;
  if (spec['user'] !== 'carol') return { allowed: false };
  if (spec.resourceAttributes?.['verb'] === 'delete') return { allowed: false, denied: true, reason: 'hands off' };
  return { allowed: true };
}

describe('access', function () {
  this.timeout(480_000);
  let directory: string;
  let webhook: Server;
  let chain: Chain;
  let provider: Awaited<ReturnType<typeof startTokenProvider>>;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-access-'));
    webhook = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const review = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Review;
        const status = decide(review);
        if (status === undefined) response.writeHead(400).end('{"kind":"Status","message":"mallory is not welcome"}');
        else response.end(JSON.stringify({ ...review, status }));
      });
    });
    await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
    const { port } = webhook.address() as AddressInfo;
    const kubeconfig = join(directory, 'webhook.kubeconfig');
    const context = { name: 'w', context: { cluster: 'w', user: 'w' } };
    const cluster = { name: 'w', cluster: { server: `http://127.0.0.1:${port}/review` } };
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'w',
        contexts: [context],
        clusters: [cluster],
        users: [{ name: 'w', user: {} }],
      }),
    );
    const policies = join(directory, 'policies.jsonl');
    writeFileSync(policies, '{"user":"alice","resource":"configmaps","namespace":"default","readonly":true}\n');
    provider = await startTokenProvider();
    const providerCa = join(directory, 'provider-ca.crt');
    writeFileSync(providerCa, provider.ca);
    chain = await startChain({
      args: [
        '--controllers=-*',
        '--authorization-mode=Node,ABAC,Webhook,RBAC',
        `--authorization-policy-file=${policies}`,
        `--authorization-webhook-config-file=${kubeconfig}`,
        '--authorization-webhook-version=v1',
        `--authentication-token-webhook-config-file=${kubeconfig}`,
        '--authentication-token-webhook-version=v1',
        '--enable-bootstrap-token-auth',
        `--oidc-issuer-url=${provider.issuer}`,
        '--oidc-client-id=apichain',
        `--oidc-ca-file=${providerCa}`,
        '--oidc-signing-algs=ES256',
        '--oidc-groups-claim=groups',
        '--oidc-groups-prefix=oidc:',
      ],
    });
  });
  after(async () => {
    await chain?.stop();
    webhook?.close();
    provider?.server.closeAllConnections();
    provider?.server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const post = (path: string, object: unknown) => call(chain, 'POST', path, { body: JSON.stringify(object) });
  const as =
    (user: string, ...groups: string[]) =>
    (method: string, path: string, body?: unknown) =>
      call(chain, method, path, {
        headers: { 'impersonate-user': user, ...(groups[0] === undefined ? {} : { 'impersonate-group': groups[0] }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
  const withToken = (token: string, method: string, path: string) =>
    call(chain, method, path, { admin: false, headers: { authorization: `Bearer ${token}` } });
  const configMaps = '/api/v1/namespaces/default/configmaps';

  it('of nodes is limited to the objects that their pods need', async () => {
    const kubelet = as('system:node:n1', 'system:nodes');
    assert.equal((await kubelet('POST', '/api/v1/nodes', { metadata: { name: 'n1' } })).status, 201);
    const other = await kubelet('POST', '/api/v1/nodes', { metadata: { name: 'n2' } });
    assert.match(other.text, /node \\"n1\\" is not allowed to modify node \\"n2\\"/);
    const secrets = '/api/v1/namespaces/default/secrets';
    await post(secrets, { metadata: { name: 's' } });
    const refused = await kubelet('GET', `${secrets}/s`);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /no relationship found between node 'n1' and this object/);
    const volumes = [{ name: 's', secret: { secretName: 's' } }];
    const containers = [{ name: 'c', image: 'i' }];
    const created = await post('/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { nodeName: 'n1', containers, volumes },
    });
    assert.equal(created.status, 201, created.text);
    await waitFor(
      async () => (await kubelet('GET', `${secrets}/s`)).status === 200,
      10_000,
      () => 'the node does not see the secret of its pod',
    );
  });

  it('is granted by a line of the policy file', async () => {
    const alice = as('alice');
    assert.equal((await alice('GET', configMaps)).status, 200);
    const refused = await alice('POST', configMaps, { metadata: { name: 'x' } });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /No policy matched\./);
  });

  it('and identity are decided by a webhook', async () => {
    assert.equal((await withToken('carols', 'GET', configMaps)).status, 200);
    const refused = await withToken('carols', 'DELETE', `${configMaps}/x`);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /User \\"carol\\" cannot delete resource .*: hands off/);
    assert.equal((await withToken('nobodys', 'GET', configMaps)).status, 401);
    const review = await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'carols' } });
    assert.deepEqual(review.json<{ status: unknown }>().status, {
      authenticated: true,
      user: { username: 'carol', groups: ['remote', 'system:authenticated'] },
      audiences: ['https://kubernetes.default.svc'],
    });
  });

  it('is an error when the webhook fails', async () => {
    const failed = await as('mallory')('GET', '/api/v1/secrets');
    assert.equal(failed.status, 500);
    assert.match(failed.text, /^Internal Server Error: "\/api\/v1\/secrets": mallory is not welcome\n$/);
    const asked = await post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      spec: { user: 'mallory', resourceAttributes: { verb: 'get', resource: 'pods' } },
    });
    assert.deepEqual(asked.json<{ status: unknown }>().status, {
      allowed: false,
      reason: 'No policy matched.',
      evaluationError: 'mallory is not welcome',
    });
  });

  it('is granted to users of an OpenID provider', async () => {
    const now = Math.floor(Date.now() / 1000);
    const token = provider.tokenOf({ sub: 'jane', exp: now + 600, groups: ['devs'] });
    const whoAmI = () =>
      call(chain, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        admin: false,
        headers: { authorization: `Bearer ${token}` },
        body: '{}',
      });
    await waitFor(
      async () => (await whoAmI()).status === 201,
      10_000,
      () => 'the token is not taken',
    );
    const { userInfo } = (await whoAmI()).json<{ status: { userInfo: Plain } }>().status;
    assert.deepEqual(userInfo, {
      username: `${provider.issuer}#jane`,
      groups: ['oidc:devs', 'system:authenticated'],
    });
    const late = await withToken(provider.tokenOf({ sub: 'jane', exp: now - 600 }), 'GET', '/api/v1/nodes');
    assert.equal(late.status, 401);
  });

  it('is granted to bootstrap tokens', async () => {
    const created = await post('/api/v1/namespaces/kube-system/secrets', {
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': 'abcdef',
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-authentication': 'true',
      },
    });
    assert.equal(created.status, 201, created.text);
    const refused = await withToken('abcdef.0123456789abcdef', 'GET', '/api/v1/nodes');
    assert.equal(refused.status, 403);
    assert.match(refused.text, /User \\"system:bootstrap:abcdef\\" cannot list resource/);
    assert.equal((await withToken('abcdef.0000000000000000', 'GET', '/api/v1/nodes')).status, 401);
  });
});
