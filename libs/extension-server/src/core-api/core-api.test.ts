import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { X509Certificate } from 'node:crypto';
import type { AdmissionPlugin } from '@apichain/admission';
import { parseFlags, type ParsedFlags } from '@apichain/apiserver-options';
import type { AuthorizationAttributes } from '@apichain/authz';
import { NotInClusterError, RestClient, type HttpTransportOptions } from '@apichain/client';
import { createLogger } from '@apichain/request';
import { FollowedFiles } from '@apichain/serving';
import { createCA, issueClient } from '@apichain/serving/certificates';
import { extensionAdmission } from './admission.ts';
import { delegatedAuthentication, type DelegatedAuthentication } from './authentication.ts';
import { delegatedAuthorization } from './authorization.ts';
import { CoreConnections } from './connections.ts';
import { coreApiOf } from './core-api.ts';
import { delegationFlags } from './flags.ts';
import { RepeatedErrors } from './repeated-errors.ts';
import { listOf, ScriptedCore, statusOf } from './scripted-core.fixture.ts';

const flagsOf = (...argv: string[]): ParsedFlags => parseFlags(delegationFlags, argv);

/** A request on a connection with a client certificate. */
function requestOf(headers: Record<string, string>, certificate?: string): IncomingMessage {
  const getPeerX509Certificate = () => (certificate === undefined ? undefined : new X509Certificate(certificate));
  const request = new IncomingMessage(Object.assign(new Socket(), { getPeerX509Certificate }));
  Object.assign(request.headers, headers);
  request.rawHeaders = Object.entries(headers).flat();
  return request;
}

describe('delegation to the core API', () => {
  let core: ScriptedCore;
  let log: string[];
  let errors: RepeatedErrors;
  let directory: string;
  const logger = createLogger('test', 0, { write: (line) => log.push(line) });
  beforeEach(() => {
    core = new ScriptedCore();
    log = [];
    errors = new RepeatedErrors(logger);
    directory = mkdtempSync(join(tmpdir(), 'apichain-delegation-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const fileWith = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  const authenticationWith = (...argv: string[]): Promise<DelegatedAuthentication> =>
    delegatedAuthentication(flagsOf(...argv), new FollowedFiles(), core, logger, { errors });

  it('has the flags and defaults of extension API servers', () => {
    const flags = flagsOf();
    assert.equal(flags.duration('authentication-token-webhook-cache-ttl'), 10_000);
    assert.equal(flags.duration('authorization-webhook-cache-authorized-ttl'), 10_000);
    assert.equal(flags.duration('authorization-webhook-cache-unauthorized-ttl'), 10_000);
    assert.deepEqual(flags.strings('authorization-always-allow-paths'), ['/healthz', '/readyz', '/livez']);
    assert.deepEqual(flags.strings('requestheader-username-headers'), ['x-remote-user']);
    assert.deepEqual(flags.strings('requestheader-uid-headers'), []);
  });

  const outside = () => {
    throw new NotInClusterError('KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined');
  };
  const kubeconfigOf = (name: string, server: string) =>
    fileWith(
      name,
      `{clusters: [{name: c, cluster: {server: "${server}"}}], users: [{name: u, user: {}}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}`,
    );

  it('needs a kubeconfig, or a pod', async () => {
    const start = (...argv: string[]) => coreApiOf(flagsOf(...argv), { name: 'test', logger, inCluster: outside });
    await assert.rejects(start(), {
      name: 'FlagError',
      message:
        'failed to get core API kubeconfig: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined; outside of a pod, --kubeconfig must be given',
    });
    await assert.rejects(start(`--kubeconfig=${join(directory, 'missing')}`), {
      name: 'FlagError',
      message: /^failed to get core API kubeconfig: ENOENT.*missing'$/,
    });
    const kubeconfig = kubeconfigOf('kubeconfig', 'http://127.0.0.1:1');
    await assert.rejects(
      start(`--authorization-kubeconfig=${kubeconfig}`),
      /must be defined; outside of a pod, --kube/,
    );
    await assert.rejects(start(`--kubeconfig=${kubeconfig}`), {
      name: 'FlagError',
      message:
        'unable to read ConfigMap kube-system/extension-apiserver-authentication: connect ECONNREFUSED 127.0.0.1:1',
    });
    const connected = await start(`--kubeconfig=${kubeconfig}`, '--authentication-skip-lookup');
    await connected.close();
  });

  it('takes the kubeconfig of --kubeconfig for reviews outside of a pod, and the service account in a pod', async () => {
    const [all, reviews] = ['all', 'reviews'].map((name) => kubeconfigOf(name, `http://${name}`));
    const flags = flagsOf(`--kubeconfig=${all}`, `--authorization-kubeconfig=${reviews}`);
    const urls = (inCluster: () => HttpTransportOptions) => {
      const connections = new CoreConnections(flags, 'test', inCluster);
      return (['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'] as const).map((flag) =>
        connections.urlOf(flag),
      );
    };
    assert.deepEqual(urls(outside), ['http://all', 'http://all', 'http://reviews']);
    assert.deepEqual(
      urls(() => ({ url: 'http://pod' })),
      ['http://all', 'http://pod', 'http://reviews'],
    );
    const noToken = () => {
      throw new Error('open token: no such file or directory');
    };
    assert.throws(() => urls(noToken), {
      name: 'FlagError',
      message: 'failed to get delegated authentication kubeconfig: open token: no such file or directory',
    });
    const connections = new CoreConnections(flags, 'test', outside);
    assert.equal(connections.of('kubeconfig'), connections.of('authentication-kubeconfig'));
    await connections.close();
  });

  describe('of authentication', () => {
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
      core.answer = (_method, path, query) => {
        if (path === configMap) return { body: object() };
        if (query.get('fieldSelector') !== 'metadata.name=extension-apiserver-authentication') return undefined;
        return query.has('watch') ? { lines: changes() } : { body: listOf(version, [object()]) };
      };
    });
    afterEach(() => {
      ended.abort();
      changed.resolve();
    });

    const loopback = { url: '', token: '', ca: '', connect: () => core };
    const follow = ({ authentication }: DelegatedAuthentication) => {
      for (const [, hook] of authentication.hooks)
        void hook({ signal: ended.signal, logger, started: Promise.resolve(), loopback });
      return delay(20);
    };
    const change = async (to: Record<string, string>) => {
      data = { ...data, ...to };
      version++;
      const before = log.length;
      changed.resolve();
      for (let i = 0; i < 500 && log.length === before; i++) await delay(10);
      assert.ok(log.length > before, 'every change is logged');
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
      const { answer } = core;
      let exists = false;
      core.answer = (method, path, query) => {
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
      const proxies = fileWith('proxies.crt', cas.proxies);
      const clients = fileWith('clients.crt', cas.clients);
      const parts = await authenticationWith(
        `--client-ca-file=${clients}`,
        `--requestheader-client-ca-file=${proxies}`,
      );
      assert.deepEqual(core.requests, []);
      assert.deepEqual(parts.authentication.hooks, []);
      assert.equal(parts.requestHeader.authenticate(requestOf(asBob, proxy))?.name, 'bob');
      const half = await authenticationWith(`--requestheader-client-ca-file=${proxies}`);
      assert.deepEqual(half.clientCAs.current(), [cas.clients]);
    });

    it('fails, tolerates or skips a lookup that fails', async () => {
      core.answer = () => statusOf(403, 'configmaps "extension-apiserver-authentication" is forbidden');
      await assert.rejects(authenticationWith(), {
        name: 'FlagError',
        message:
          /^unable to read ConfigMap kube-system\/extension-apiserver-authentication: configmaps .* is forbidden; usually fixed by 'kubectl create rolebinding/,
      });
      const tolerant = await authenticationWith('--authentication-tolerate-lookup-failure');
      assert.equal(tolerant.requestHeader.authenticate(requestOf(asBob, proxy)), undefined);
      assert.match(log.join(''), /continuing because of --authentication-tolerate-lookup-failure/);
      core.requests.length = 0;
      await authenticationWith('--authentication-skip-lookup');
      assert.deepEqual(core.requests, []);
    });

    it('refuses header names that cannot be used', async () => {
      await assert.rejects(authenticationWith('--requestheader-username-headers= '), {
        message: 'empty value in "requestheader-username-headers"',
      });
    });

    it('reviews tokens once in their lifetime, and concurrent requests together', async () => {
      const { answer } = core;
      core.answer = (method, path, query) => {
        if (path !== '/apis/authentication.k8s.io/v1/tokenreviews') return answer(method, path, query);
        const known = JSON.stringify(core.bodies.at(-1)).includes('good');
        const status = known ? { authenticated: true, user: { username: 'jane', uid: 'u' } } : { error: 'unknown' };
        return { code: 201, body: { kind: 'TokenReview', status } };
      };
      const { authentication } = await authenticationWith();
      core.requests.length = 0;
      const ask = async (token: string) =>
        authentication.authenticator.authenticate(requestOf({ authorization: `Bearer ${token}` }));
      const users = await Promise.all([ask('good'), ask('good'), ask('good')]);
      assert.deepEqual(
        users.map((user) => user?.name),
        ['jane', 'jane', 'jane'],
      );
      assert.equal((await ask('good'))?.uid, 'u');
      assert.equal(core.requests.length, 1);
      await assert.rejects(ask('bad'), /unknown/);
      assert.deepEqual(core.bodies[0], {
        kind: 'TokenReview',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: {},
        spec: { token: 'good' },
        status: { user: {} },
      });
    });
  });

  describe('of authorization', () => {
    const asked = (more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes => ({
      user: { name: 'jane', uid: '', groups: [], extra: {} },
      verb: 'list',
      isResourceRequest: true,
      path: '',
      ...{ apiGroup: 'example.com', apiVersion: 'v1', resource: 'widgets', subresource: '', namespace: 'ns', name: '' },
      ...{ fieldSelector: '', labelSelector: '' },
      ...more,
    });
    const reviewed = (status: object) => {
      core.answer = (_method, path) =>
        path === '/apis/authorization.k8s.io/v1/subjectaccessreviews' ? { code: 201, body: { status } } : undefined;
    };

    it('asks the core API, and again when the answer has expired', async () => {
      reviewed({ allowed: false, reason: 'no role' });
      const { authorizer } = delegatedAuthorization(
        flagsOf('--authorization-webhook-cache-unauthorized-ttl=20ms'),
        core,
        { errors },
      );
      assert.deepEqual(await authorizer.authorize(asked()), { decision: 'NoOpinion', reason: 'no role' });
      reviewed({ allowed: true });
      assert.equal((await authorizer.authorize(asked())).decision, 'NoOpinion');
      await delay(30);
      assert.equal((await authorizer.authorize(asked())).decision, 'Allow');
      await delay(30);
      assert.equal((await authorizer.authorize(asked())).decision, 'Allow');
      assert.equal(core.requests.length, 2);
    });

    it('allows system:masters and health paths without a question', async () => {
      core.failure = new Error('away');
      const { authorizer } = delegatedAuthorization(
        flagsOf('--authorization-always-allow-paths=/livez,/open/*'),
        core,
        { errors },
      );
      const admin = { name: 'root', uid: '', groups: ['system:masters'], extra: {} };
      assert.equal((await authorizer.authorize(asked({ user: admin }))).decision, 'Allow');
      for (const [path, decision] of [
        ['/livez', 'Allow'],
        ['/open/a', 'Allow'],
        ['/metrics', 'NoOpinion'],
      ] as const)
        assert.equal(
          (await authorizer.authorize(asked({ isResourceRequest: false, verb: 'get', path }))).decision,
          decision,
          path,
        );
    });

    it('has no opinion and an error when the core API does not answer', async () => {
      core.failure = new Error('connect ECONNREFUSED');
      const { authorizer } = delegatedAuthorization(flagsOf(), core, { errors });
      assert.deepEqual(await authorizer.authorize(asked()), {
        decision: 'NoOpinion',
        reason: '',
        evaluationError: 'connect ECONNREFUSED',
      });
      assert.match(log.join(''), /does not answer SubjectAccessReviews of this server: connect ECONNREFUSED/);
    });

    it('refuses paths with a * in the middle', () => {
      assert.throws(
        () => delegatedAuthorization(flagsOf('--authorization-always-allow-paths=/a*/b'), core, { errors }),
        {
          name: 'FlagError',
          message: '--authorization-always-allow-paths: only trailing * allowed in "/a*/b"',
        },
      );
    });
  });

  describe('of admission', () => {
    const plugin = (name: string): AdmissionPlugin => ({ name, handles: new Set(['CREATE']), admit: () => undefined });
    const admissionWith = (plugins: readonly AdmissionPlugin[], ...argv: string[]) =>
      extensionAdmission(flagsOf(...argv), {
        stores: () => undefined,
        client: new RestClient(core),
        authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) },
        logger,
        plugins,
      }).chain.plugins.map(({ name }) => name);
    const standard = [
      'NamespaceLifecycle',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionWebhook',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionWebhook',
    ];

    it('has the plugins of extension API servers, and then those of the server', () => {
      assert.deepEqual(admissionWith([plugin('BanFlunder')]), [...standard, 'BanFlunder']);
      assert.deepEqual(
        admissionWith([plugin('BanFlunder')], '--disable-admission-plugins=BanFlunder,NamespaceLifecycle'),
        standard.slice(1),
      );
    });

    it('refuses plugins that it does not have, and two with one name', () => {
      assert.throws(() => admissionWith([], '--enable-admission-plugins=ResourceQuota'), {
        name: 'FlagError',
        message: 'enable-admission-plugins plugin "ResourceQuota" is unknown',
      });
      assert.throws(() => admissionWith([plugin('NamespaceLifecycle')]), /^FlagError: there are two admission plugins/);
    });
  });

  it('logs an error that repeats once a minute', () => {
    let now = 0;
    const texts: string[] = [];
    const repeated = new RepeatedErrors({ warn: (text: string) => void texts.push(text) }, () => now);
    for (now = 0; now <= 60_000; now += 1_000) repeated.report('failed', new Error('away'));
    repeated.report('failed', new Error('forbidden'));
    assert.deepEqual(texts, ['failed: away', 'failed: away', 'failed: forbidden']);
  });
});
