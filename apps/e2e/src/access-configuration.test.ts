import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call } from './http.ts';
import { startTokenProvider } from './token-provider.ts';

const config = (kind: string, content: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind, ...content });

describe('access configured by files', function () {
  this.timeout(480_000);
  let directory: string;
  let webhook: Server;
  let provider: Awaited<ReturnType<typeof startTokenProvider>>;
  let chain: Chain;
  const file = (name: string) => join(directory, name);

  const authorizers = (...rejecting: string[]) => {
    const hook = (name: string, user: string) => ({
      type: 'Webhook',
      name,
      webhook: {
        timeout: '3s',
        subjectAccessReviewVersion: 'v1',
        matchConditionSubjectAccessReviewVersion: 'v1',
        failurePolicy: 'NoOpinion',
        connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: file('kubeconfig') },
        matchConditions: [{ expression: `request.user == '${user}'` }],
      },
    });
    const hooks = rejecting.map((user, i) => hook(`hook-${i}`, user));
    return config('AuthorizationConfiguration', { authorizers: [...hooks, { type: 'RBAC', name: 'rbac' }] });
  };
  const issuers = (username: string) =>
    config('AuthenticationConfiguration', {
      anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
      jwt: [
        {
          issuer: {
            url: provider.issuer,
            audiences: ['apichain', 'x'],
            audienceMatchPolicy: 'MatchAny',
            certificateAuthority: provider.ca,
          },
          claimMappings: { username: { expression: username } },
          userValidationRules: [{ expression: "user.username != 'jwt:mallory'", message: 'not mallory' }],
        },
      ],
    });

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-access-'));
    webhook = createServer((_request, response) => {
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' };
      response.end(
        JSON.stringify({ ...review, status: { allowed: false, denied: true, reason: 'the webhook denies it' } }),
      );
    });
    await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
    const { port } = webhook.address() as AddressInfo;
    writeFileSync(
      file('kubeconfig'),
      JSON.stringify({
        'current-context': 'w',
        contexts: [{ name: 'w', context: { cluster: 'w', user: 'w' } }],
        clusters: [{ name: 'w', cluster: { server: `http://127.0.0.1:${port}` } }],
        users: [{ name: 'w', user: {} }],
      }),
    );
    provider = await startTokenProvider();
    writeFileSync(file('authorization.yaml'), authorizers('bob'));
    writeFileSync(file('authentication.yaml'), issuers("'jwt:' + claims.sub"));
    chain = await startChain({
      args: [
        '--controllers=-*',
        `--authorization-config=${file('authorization.yaml')}`,
        `--authentication-config=${file('authentication.yaml')}`,
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

  const discovery = (user: string) =>
    call(chain, 'GET', '/api', { headers: { 'impersonate-user': user, 'impersonate-group': 'system:authenticated' } });
  const whoIs = async (sub: string): Promise<string> => {
    const token = provider.tokenOf({ sub, exp: Math.floor(Date.now() / 1000) + 600 });
    const headers = { authorization: `Bearer ${token}` };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const response = await call(chain, 'POST', path, { admin: false, headers, body: '{}' });
    if (response.status !== 201) return String(response.status);
    return response.json<{ status: { userInfo: { username: string } } }>().status.userInfo.username;
  };
  const becomes = (found: () => Promise<boolean>, what: string) => waitFor(found, 15_000, () => what);

  it('is decided by the webhooks that match the request, and follows changes of the file', async () => {
    assert.equal((await discovery('alice')).status, 200);
    const refused = await discovery('bob');
    assert.equal(refused.status, 403);
    assert.match(refused.text, /the webhook denies it/);
    writeFileSync(file('authorization.yaml'), config('AuthorizationConfiguration', { authorizers: [] }));
    writeFileSync(file('authorization.yaml'), authorizers('carol', 'alice'));
    await becomes(async () => (await discovery('alice')).status === 403, 'the new webhooks are not asked');
    assert.equal((await discovery('bob')).status, 200);
  });

  it('is granted to the users that tokens name, and follows changes of the file', async () => {
    await becomes(async () => (await whoIs('jane')) === 'jwt:jane', 'the token is not taken');
    assert.equal(await whoIs('mallory'), '401');
    writeFileSync(file('authentication.yaml'), issuers("'new:' + claims.sub"));
    await becomes(async () => (await whoIs('jane')) === 'new:jane', 'the new mapping is not used');
  });

  it('is anonymous only where the file allows it', async () => {
    assert.equal((await call(chain, 'GET', '/livez', { admin: false })).status, 200);
    assert.equal((await call(chain, 'GET', '/readyz', { admin: false })).status, 401);
  });
});
