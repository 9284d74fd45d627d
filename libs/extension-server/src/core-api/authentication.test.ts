import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { FollowedFiles } from '@apichain/serving';
import { createCA, issueClient } from '@apichain/serving/certificates';
import { until } from '@apichain/meta/until.fixture';
import { delegatedAuthentication, type DelegatedAuthentication } from './authentication.ts';
import { DelegationTest, flagsOf } from './delegation.fixture.ts';
import { listOf, statusOf } from './scripted-core.fixture.ts';

/** A request on a connection with a client certificate. */
function requestOf(headers: Record<string, string>, certificate?: string): IncomingMessage {
  const getPeerX509Certificate = () => (certificate === undefined ? undefined : new X509Certificate(certificate));
  const request = new IncomingMessage(Object.assign(new Socket(), { getPeerX509Certificate }));
  Object.assign(request.headers, headers);
  request.rawHeaders = Object.entries(headers).flat();
  return request;
}

describe('delegated authentication', () => {
  let test: DelegationTest;
  beforeEach(() => {
    test = new DelegationTest();
  });
  afterEach(() => test.close());
  const authenticationWith = (...argv: string[]): Promise<DelegatedAuthentication> => {
    const { core, logger, errors } = test;
    return delegatedAuthentication(flagsOf(...argv), new FollowedFiles(), core, logger, { errors });
  };

  const configMap = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  let proxy: string;
  let client: string;
  let data: Record<string, string>;
  let version: number;
  let ended: AbortController;
  let changed: PromiseWithResolvers<void>;
  let cas: { readonly proxies: string; readonly clients: string };
  before(async () => {
    const [proxies, clients] = await Promise.all([createCA('proxies'), createCA('clients')]);
    cas = { proxies: proxies.certificate, clients: clients.certificate };
    proxy = (await issueClient(proxies, 'front', [])).certificate;
    client = (await issueClient(clients, 'jane', ['team'])).certificate;
  });
  beforeEach(() => {
    version = 1;
    ended = new AbortController();
    changed = Promise.withResolvers();
    data = {
      'client-ca-file': cas.clients,
      'requestheader-client-ca-file': cas.proxies,
      'requestheader-allowed-names': '["front"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    };
    const object = () => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'extension-apiserver-authentication',
        namespace: 'kube-system',
        resourceVersion: String(version),
      },
      data,
    });
    async function* changes() {
      await changed.promise;
      yield { type: 'MODIFIED', object: object() };
    }
    test.core.answer = (_method, path, query) => {
      if (path === configMap) return { body: object() };
      if (query.get('fieldSelector') !== 'metadata.name=extension-apiserver-authentication') return undefined;
      return query.has('watch') ? { lines: changes() } : { body: listOf(version, [object()]) };
    };
  });
  afterEach(() => {
    ended.abort();
    changed.resolve();
  });

  const loopback = { url: '', token: '', ca: '', connect: () => test.core };
  const follow = ({ authentication }: DelegatedAuthentication) => {
    for (const [, hook] of authentication.hooks)
      void hook({ signal: ended.signal, logger: test.logger, whenStarted: () => undefined, loopback });
    return delay(20);
  };
  const change = async (to: Record<string, string>) => {
    data = { ...data, ...to };
    version++;
    const before = test.log.length;
    changed.resolve();
    await until(() => test.log.length > before, 'every change is logged');
  };
  const asBob = { 'X-Remote-User': 'bob', 'X-Remote-Group': 'team' };

  it('believes the published front proxies and authorities', async () => {
    const { authentication, requestHeader, clientCAs } = await authenticationWith();
    assert.equal(requestHeader.authenticate(requestOf(asBob, proxy))?.name, 'bob');
    assert.throws(() => requestHeader.authenticate(requestOf(asBob, client)), /unknown authority/);
    const user = await authentication.authenticator.authenticate(requestOf({}, client));
    assert.deepEqual([user?.name, user?.groups], ['jane', ['team', 'system:authenticated']]);
    assert.deepEqual(clientCAs.current(), [cas.clients, cas.proxies]);
    const nobody = await authentication.authenticator.authenticate(requestOf({}));
    assert.equal(nobody?.name, 'system:anonymous');
  });

  it('follows changes of names, headers and authorities', async () => {
    const parts = await authenticationWith();
    await follow(parts);
    let reloads = 0;
    parts.clientCAs.onChange(() => reloads++);
    await change({ 'requestheader-username-headers': '["X-Other"]', 'client-ca-file': cas.proxies });
    const { requestHeader, authentication } = parts;
    assert.equal(requestHeader.authenticate(requestOf(asBob, proxy)), undefined);
    assert.equal(requestHeader.authenticate(requestOf({ 'X-Other': 'eve' }, proxy))?.name, 'eve');
    await assert.rejects(async () => authentication.authenticator.authenticate(requestOf({}, client)));
    assert.equal(reloads, 1);
    const request = requestOf({ 'X-Other': 'eve', Accept: 'x' });
    requestHeader.clear(request);
    assert.deepEqual(request.rawHeaders, ['Accept', 'x']);
  });

  it('does not believe a front proxy whose name is no longer allowed', async () => {
    const parts = await authenticationWith();
    await follow(parts);
    assert.equal(parts.requestHeader.authenticate(requestOf(asBob, proxy))?.name, 'bob');
    await change({ 'requestheader-allowed-names': '["other"]' });
    assert.throws(() => parts.requestHeader.authenticate(requestOf(asBob, proxy)), /cn=front is not in the allowed/);
  });

  for (const [what, to] of [
    ['names that are no list', { 'requestheader-allowed-names': '{}' }],
    ['names that are no JSON', { 'requestheader-allowed-names': 'front' }],
    ['an authority that cannot be parsed', { 'client-ca-file': 'nonsense' }],
    ['no authority', { 'requestheader-client-ca-file': '' }],
  ] as const)
    it(`keeps the last good state when there are ${what}`, async () => {
      const parts = await authenticationWith();
      await follow(parts);
      await change(to);
      assert.equal(parts.requestHeader.authenticate(requestOf(asBob, proxy))?.name, 'bob');
      assert.equal((await parts.authentication.authenticator.authenticate(requestOf({}, client)))?.name, 'jane');
    });

  it('starts without the ConfigMap, and takes it when it is created', async () => {
    const { answer } = test.core;
    let exists = false;
    test.core.answer = (method, path, query) => {
      if (exists || query.has('watch')) return answer(method, path, query);
      return path === configMap
        ? statusOf(404, 'not found', { name: 'extension-apiserver-authentication' })
        : { body: listOf(1, []) };
    };
    const parts = await authenticationWith();
    assert.equal(parts.requestHeader.authenticate(requestOf(asBob, proxy)), undefined);
    const unknown = await parts.authentication.authenticator.authenticate(requestOf({}, client));
    assert.equal(unknown?.name, 'system:anonymous', 'without authorities, certificates are ignored');
    await follow(parts);
    exists = true;
    await change({});
    assert.equal(parts.requestHeader.authenticate(requestOf(asBob, proxy))?.name, 'bob');
  });

  it('takes from flags what they set, and does not look that up', async () => {
    const proxies = test.fileWith('proxies.crt', cas.proxies);
    const clients = test.fileWith('clients.crt', cas.clients);
    const parts = await authenticationWith(`--client-ca-file=${clients}`, `--requestheader-client-ca-file=${proxies}`);
    assert.deepEqual(test.core.requests, []);
    assert.deepEqual(parts.authentication.hooks, []);
    assert.equal(parts.requestHeader.authenticate(requestOf(asBob, proxy))?.name, 'bob');
    const half = await authenticationWith(`--requestheader-client-ca-file=${proxies}`);
    assert.deepEqual(half.clientCAs.current(), [cas.clients]);
  });

  it('fails, tolerates or skips a lookup that fails', async () => {
    test.core.answer = () => statusOf(403, 'configmaps "extension-apiserver-authentication" is forbidden');
    await assert.rejects(authenticationWith(), {
      name: 'FlagError',
      message:
        /^unable to read ConfigMap kube-system\/extension-apiserver-authentication: configmaps .* is forbidden; usually fixed by 'kubectl create rolebinding/,
    });
    const tolerant = await authenticationWith('--authentication-tolerate-lookup-failure');
    assert.equal(tolerant.requestHeader.authenticate(requestOf(asBob, proxy)), undefined);
    assert.match(test.log.join(''), /continuing because of --authentication-tolerate-lookup-failure/);
    test.core.requests.length = 0;
    await authenticationWith('--authentication-skip-lookup');
    assert.deepEqual(test.core.requests, []);
  });

  it('refuses header names that cannot be used', async () => {
    await assert.rejects(authenticationWith('--requestheader-username-headers= '), {
      message: 'empty value in "requestheader-username-headers"',
    });
  });

  it('reviews tokens once in their lifetime, and concurrent requests together', async () => {
    const { answer } = test.core;
    test.core.answer = (method, path, query) => {
      if (path !== '/apis/authentication.k8s.io/v1/tokenreviews') return answer(method, path, query);
      const known = JSON.stringify(test.core.bodies.at(-1)).includes('good');
      const status = known ? { authenticated: true, user: { username: 'jane', uid: 'u' } } : { error: 'unknown' };
      return { code: 201, body: { kind: 'TokenReview', status } };
    };
    const { authentication } = await authenticationWith();
    test.core.requests.length = 0;
    const ask = async (token: string) =>
      authentication.authenticator.authenticate(requestOf({ authorization: `Bearer ${token}` }));
    const users = await Promise.all([ask('good'), ask('good'), ask('good')]);
    assert.deepEqual(
      users.map((user) => user?.name),
      ['jane', 'jane', 'jane'],
    );
    assert.equal((await ask('good'))?.uid, 'u');
    assert.equal(test.core.requests.length, 1);
    await assert.rejects(ask('bad'), /unknown/);
    assert.deepEqual(test.core.bodies[0], {
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {},
      spec: { token: 'good' },
      status: { user: {} },
    });
  });
});
