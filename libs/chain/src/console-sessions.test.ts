import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { RestClient, type ResourceReference } from '@apichain/client';
import { freePort, parseJson } from '@apichain/meta';
import { TestChains } from './chain.fixture.ts';
import type { InProcessChain } from './chain.ts';

interface Received {
  readonly status: number;
  readonly body: string;
  readonly cookie: string;
}
interface AuditEvent {
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: { readonly username: string };
}

const rbac = 'rbac.authorization.k8s.io';
const accounts: ResourceReference = { group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'default' };
const roles: ResourceReference = { group: rbac, version: 'v1', resource: 'clusterroles' };
const bindings: ResourceReference = { group: rbac, version: 'v1', resource: 'clusterrolebindings' };
const configMaps = '/api/v1/namespaces/default/configmaps';
const tokenOf = (account: string) => `/api/v1/namespaces/default/serviceaccounts/${account}/token`;

describe('sessions of the console', () => {
  const chains = new TestChains();
  let auditLog: string;

  before(() => {
    auditLog = join(chains.directory, 'audit.log');
    writeFileSync(
      join(chains.directory, 'policy.yaml'),
      'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{ level: Metadata }]\n',
    );
  });

  const pem = (name: string) => readFileSync(join(chains.directory, name));
  const readResponse = async (response: IncomingMessage): Promise<Received> => ({
    status: response.statusCode ?? 0,
    body: await text(response),
    cookie: (response.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '',
  });
  const exchange = (request: http.ClientRequest, body: string): Promise<Received> =>
    new Promise((resolve, reject) => {
      request.once('error', reject).once('response', (response) => void readResponse(response).then(resolve, reject));
      request.end(body);
    });

  /** Requests to the API: of the administrator, or with a token. */
  const sender =
    ({ port }: InProcessChain) =>
    (method: string, path: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}) => {
      const admin = 'authorization' in headers ? {} : { cert: pem('admin.crt'), key: pem('admin.key') };
      const options = { host: '127.0.0.1', port, method, path, agent: false, ca: pem('ca.crt'), ...admin };
      const own = { 'content-type': 'application/json', ...headers };
      return exchange(https.request({ ...options, headers: own }), method === 'GET' ? '' : JSON.stringify(body));
    };

  /** A page that logs in with the URL which a request for a code has given. */
  async function pageOf(invitation: Received) {
    assert.equal(invitation.status, 201, invitation.body);
    const { origin, hash } = new URL((parseJson(invitation.body) as { url: string }).url);
    const send = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = '') =>
      exchange(http.request(`${origin}${path}`, { method, headers: { origin, ...headers }, agent: false }), body);
    const response = await send('POST', '/console/session', {}, JSON.stringify({ code: hash.slice('#code='.length) }));
    assert.equal(response.status, 200, response.body);
    const { proof, expiresAt } = parseJson(response.body) as { proof: string; expiresAt: number };
    const half = { cookie: response.cookie, 'x-console-proof': proof, 'content-type': 'application/json' };
    return {
      expiresAt,
      send: (method: string, path: string, body = '', headers: Readonly<Record<string, string>> = {}) =>
        send(method, path, { ...half, ...headers }, body),
    };
  }

  const grant = async (client: RestClient, name: string, subject: object, ...rules: object[]) => {
    await client.create(roles, { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules });
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
    const binding = { apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, roleRef };
    await client.create(bindings, { ...binding, subjects: [subject] });
  };
  const account = (name: string) => ({ kind: 'ServiceAccount', name, namespace: 'default' });
  const logsIn = { nonResourceURLs: ['/console/codes'], verbs: ['post'] };
  const reads = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };

  /** Repeats a request until its response has the status, and the text if one is given. */
  async function until(status: number, send: () => Promise<Received>, wanted = ''): Promise<Received> {
    const deadline = Date.now() + 30_000;
    let response = await send();
    while (response.status !== status || !response.body.includes(wanted)) {
      assert.ok(Date.now() < deadline, `${response.status} instead of ${status}: ${response.body}`);
      await sleep(50);
      response = await send();
    }
    return response;
  }

  const withConsole = async (work: (chain: InProcessChain, client: RestClient) => Promise<void>) => {
    const audit = [`--audit-policy-file=${join(chains.directory, 'policy.yaml')}`, `--audit-log-path=${auditLog}`];
    await chains.run(
      ['--authorization-mode=RBAC', ...audit],
      async (chain) => {
        const client = new RestClient(chain.connect('test'));
        await work(chain, client);
        await client.close();
      },
      chains.etcd,
      { aggregatorFlags: [`--console-port=${await freePort()}`] },
    );
  };

  it('live as long as their token, end with its ServiceAccount, and create no tokens', () =>
    withConsole(async (chain, client) => {
      const send = sender(chain);
      await client.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'short' } });
      const mints = { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] };
      await grant(client, 'short', account('short'), logsIn, reads, mints);
      const issued = await send('POST', tokenOf('short'), { spec: { expirationSeconds: 600 } });
      const { token, expirationTimestamp } = (
        parseJson(issued.body) as { status: { token: string; expirationTimestamp: string } }
      ).status;
      const bearer = { authorization: `Bearer ${token}` };
      const page = await pageOf(await until(201, () => send('POST', '/console/codes', {}, bearer)));
      assert.equal(page.expiresAt, Date.parse(expirationTimestamp));
      assert.equal((await page.send('GET', configMaps)).status, 200);

      const longer = JSON.stringify({ spec: { expirationSeconds: 86_400 } });
      for (const path of [tokenOf('short'), tokenOf('%73hort')]) {
        const minted = await page.send('POST', path, longer);
        assert.equal(minted.status, 403, minted.body);
        assert.match(minted.body, /a session of the console creates no credentials/);
      }
      const request = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: {} };
      const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
      const signed = await page.send('POST', requests, JSON.stringify(request));
      assert.match(signed.body, /a session of the console creates no credentials/);
      // The account itself may.
      assert.equal((await send('POST', tokenOf('short'), { spec: {} }, bearer)).status, 201);

      await client.delete(accounts, 'short');
      await until(401, () => page.send('GET', configMaps));
      assert.equal((await page.send('GET', '/console/session')).status, 401);
    }));

  it('create no Secrets that are tokens or get one, in any form, and other Secrets', () =>
    withConsole(async (chain) => {
      const page = await pageOf(await sender(chain)('POST', '/console/codes'));
      const secrets = '/api/v1/namespaces/default/secrets';
      const secret = (type: string) => {
        const annotations = { 'kubernetes.io/service-account.name': 'default' };
        return JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'minted', annotations }, type });
      };
      const yaml = 'application/yaml';
      for (const type of ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token']) {
        const escaped = secret(type).replace('token"}', '\\u0074oken"}');
        const refused = [
          await page.send('POST', secrets, secret(type)),
          await page.send('POST', '/api/v1/namespaces/default/%73ecrets', escaped),
          await page.send('POST', secrets, secret(type).replace('"type":', '"type":"Opaque","type":')),
          await page.send('POST', secrets, `${secret('Opaque').slice(0, -1)},type: !!str ${type}}`, {
            'content-type': yaml,
          }),
          await page.send('POST', secrets, `{"kind":"Secret",<<: {type: ${type}}}`, { 'content-type': yaml }),
          await page.send('POST', secrets, secret(type), { 'content-type': 'application/vnd.kubernetes.protobuf' }),
          await page.send('PATCH', `${secrets}/minted?fieldManager=a`, secret(type), {
            'content-type': 'application/apply-patch+yaml',
          }),
        ];
        for (const { status } of refused) assert.ok(status >= 400 && status < 500, String(status));
        assert.match(refused[1]?.body ?? '', /a session of the console creates no credentials/);
        assert.match(refused[6]?.body ?? '', /a session of the console creates no credentials/);
        assert.equal((await page.send('GET', `${secrets}/minted`)).status, 404);
      }
      const created = await page.send('POST', secrets, secret('Opaque'));
      assert.equal(created.status, 201, created.body);
      const large = JSON.stringify({ data: { a: 'A'.repeat(400_000) } });
      const patched = await page.send('PATCH', `${secrets}/minted`, large, {
        'content-type': 'application/merge-patch+json',
      });
      assert.equal(patched.status, 200, patched.body);
    }));

  it('carry who impersonates, and ask again whether he may', () =>
    withConsole(async (chain, client) => {
      const send = sender(chain);
      await client.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'boss' } });
      await grant(client, 'boss', account('boss'), { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] });
      await grant(client, 'jane', { apiGroup: rbac, kind: 'User', name: 'jane' }, logsIn, reads);
      const issued = await send('POST', tokenOf('boss'), { spec: {} });
      const { token } = (parseJson(issued.body) as { status: { token: string } }).status;
      const asJane = { authorization: `Bearer ${token}`, 'impersonate-user': 'jane' };
      const page = await pageOf(await until(201, () => send('POST', '/console/codes', {}, asJane)));
      assert.equal((await page.send('GET', configMaps)).status, 200);
      assert.equal((await page.send('GET', '/api/v1/namespaces/default/secrets')).status, 403);
      const { user, impersonator } = parseJson((await page.send('GET', '/console/session')).body) as {
        user: { name: string };
        impersonator: string;
      };
      assert.deepEqual([user.name, impersonator], ['jane', 'system:serviceaccount:default:boss']);
      assert.equal((await page.send('GET', '/console/requests')).status, 200);

      await client.delete(bindings, 'boss');
      const refused = await until(403, () => page.send('GET', configMaps));
      assert.match(refused.body, /cannot impersonate resource \\"users\\"/);
      assert.equal((await page.send('GET', '/console/requests')).status, 403);
    }));

  it('tell audit events who impersonates', () => {
    const lines = readFileSync(auditLog, 'utf8').trim().split('\n');
    const events = lines.map((line) => parseJson(line) as AuditEvent);
    const ofJane = events.filter(({ impersonatedUser }) => impersonatedUser?.username === 'jane');
    assert.ok(ofJane.some((event) => event.requestURI === configMaps && event.userAgent === 'apichain-console'));
    for (const { user } of ofJane) assert.equal(user.username, 'system:serviceaccount:default:boss');
    // The one that was refused at last is an event as well, of the user who is no longer allowed to impersonate.
    const last = events.findLast(({ requestURI }) => requestURI === configMaps);
    assert.deepEqual([last?.user.username, last?.impersonatedUser], ['system:serviceaccount:default:boss', undefined]);
  });

  it('are refused to those whose credential cannot be checked again', () =>
    withConsole(async (chain, client) => {
      const send = sender(chain);
      await grant(client, 'everybody', { apiGroup: rbac, kind: 'Group', name: 'system:unauthenticated' }, logsIn);
      const anonymous = { authorization: '' };
      await until(403, () => send('POST', '/console/codes', {}, anonymous), 'needs a client certificate or a token');
      const { expiresAt } = await pageOf(await send('POST', '/console/codes'));
      assert.ok(expiresAt > Date.now());
    }));
});
