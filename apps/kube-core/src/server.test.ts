import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { apiServerId, type GenericApiServer, parseFlags } from '@apichain/apiserver';
import { httpTransport, RestClient } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { ensureFlowControl } from './bootstrap/flow-control.ts';
import { trackLegacyTokens } from './bootstrap/legacy-token-tracking.ts';
import { collectIdentityLeases, renewIdentityLease } from './bootstrap/identity-lease.ts';
import { reconcileDefaultRoles } from './bootstrap/rbac/reconcile.ts';
import { createKubeCoreServer, kubeCoreFlags, kubeCoreOptions, systemNamespaces } from './index.ts';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Leaves a test out where there is no etcd; in CI there must be one. */
function needEtcd(test: Mocha.Context): void {
  if (spawnSync('etcd', ['--version']).error === undefined) return;
  if (process.env.CI !== undefined) throw new Error('etcd is not on the PATH');
  test.skip();
}

const core = (resource: string, namespace?: string) => ({
  group: '',
  version: 'v1',
  resource,
  ...(namespace === undefined ? {} : { namespace }),
});

describe('kube-core', function () {
  this.timeout(30_000);
  let directory: string;
  let etcd: ChildProcess;
  let server: GenericApiServer;
  let client: RestClient;

  before(async function () {
    needEtcd(this);
    directory = mkdtempSync(join(tmpdir(), 'kube-core-'));
    const clients = `http://127.0.0.1:${await freePort()}`;
    const peers = `http://127.0.0.1:${await freePort()}`;
    const urls = ['--listen-client-urls', clients, '--advertise-client-urls', clients, '--listen-peer-urls', peers];
    etcd = spawn('etcd', ['--data-dir', directory, ...urls], { stdio: 'ignore' });
    const key = join(directory, 'sa.key');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const flags = parseFlags(kubeCoreFlags, [
      `--etcd-servers=${clients}`,
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--service-cluster-ip-range=10.7.0.0/16',
      '--advertise-address=192.0.2.10',
      '--authorization-mode=RBAC',
      `--service-account-signing-key-file=${key}`,
      `--service-account-key-file=${key}`,
    ]);
    server = await createKubeCoreServer(await kubeCoreOptions(flags));
    await server.listen();
    const { url, token, ca } = server.loopback;
    const transport = httpTransport({ url, token, ca });
    client = new RestClient(transport);
    for (let i = 0; i < 100; i++) {
      const { status, body } = await transport.send({ method: 'GET', path: '/readyz' });
      await body.dump();
      if (status === 200) return;
      await delay(50);
    }
    throw new Error('the server did not become ready');
  });

  after(async () => {
    await client?.close();
    await server?.shutdown();
    etcd?.kill('SIGKILL');
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  });

  it('says in a Lease that it is alive, and clears away those of servers that are gone', async () => {
    const leases = { ...core('leases', 'kube-system'), group: 'coordination.k8s.io' };
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
    const leaseOf = (name: string, renewTime: string) =>
      client.create(leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, labels },
        spec: { holderIdentity: name, leaseDurationSeconds: 3600, renewTime },
      });
    await leaseOf('apiserver-gone', '2020-01-01T00:00:00.000000Z');
    await leaseOf('apiserver-other', new Date().toISOString().replace('Z', '000Z'));
    const context = { client, signal: server.stopping, logger: server.config.logger, started: Promise.resolve() };
    await renewIdentityLease(context, '192.0.2.1:6443');
    await renewIdentityLease(context, '192.0.2.1:6443');
    await collectIdentityLeases(context);
    const { items } = await client.list(leases);
    assert.deepEqual(items.map(({ metadata }) => metadata.name).sort(), [apiServerId(), 'apiserver-other'].sort());
    const own = items.find(({ metadata }) => metadata.name === apiServerId());
    const { holderIdentity, leaseDurationSeconds, renewTime } = own?.['spec'] as Record<string, unknown>;
    assert.match(String(holderIdentity), new RegExp(`^${apiServerId()}_[0-9a-f-]{36}$`));
    assert.equal(leaseDurationSeconds, 3600);
    assert.match(String(renewTime), /\.\d{6}Z$/);
    assert.equal(own?.metadata.labels?.['kubernetes.io/hostname'], hostname());
    assert.deepEqual(own?.metadata.annotations, { 'kubernetes.io/peer-advertise-address': '192.0.2.1:6443' });
  });

  it('tells since when the use of token Secrets is noted', async () => {
    const place = { group: '', version: 'v1', resource: 'configmaps', namespace: 'kube-system' };
    const name = 'kube-apiserver-legacy-service-account-token-tracking';
    const context = { client, signal: server.stopping, logger: server.config.logger, started: Promise.resolve() };
    const since = async () => {
      await trackLegacyTokens(context);
      return ((await client.get(place, name)).data as { since: string }).since;
    };
    const today = await since();
    assert.match(today, /^\d{4}-\d{2}-\d{2}$/);
    for (const [stored, kept] of [
      ['2020-01-02', '2020-01-02'],
      ['9999-01-01', today],
      ['never', today],
    ]) {
      const present = await client.get(place, name);
      await client.update(place, { ...present, data: { since: stored } });
      assert.equal(await since(), kept);
    }
  });

  it('makes what every cluster has', async () => {
    const namespaces = await client.list(core('namespaces'));
    assert.deepEqual(namespaces.items.map((n) => n.metadata.name).toSorted(), [...systemNamespaces].toSorted());
    const service = await client.get(core('services', 'default'), 'kubernetes');
    const [{ fieldsV1 = {} } = {}] = service.metadata.managedFields ?? [];
    assert.deepEqual(Object.keys((fieldsV1 as { 'f:spec': object })['f:spec']).sort(), [
      'f:clusterIP',
      'f:internalTrafficPolicy',
      'f:ipFamilyPolicy',
      'f:ports',
      'f:sessionAffinity',
      'f:type',
    ]);
    assert.deepEqual((service.spec as { clusterIPs: string[] }).clusterIPs, ['10.7.0.1']);
    const address = await client.get(
      { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' },
      '10.7.0.1',
    );
    assert.equal(address.kind, 'IPAddress');
    assert.equal(address.metadata.managedFields?.[0]?.manager, 'kube-apiserver');
    // Once the server is ready, as in kube-apiserver.
    const endpoints = await eventually(() => client.get(core('endpoints', 'default'), 'kubernetes'));
    assert.deepEqual((endpoints.subsets as { addresses: unknown }[])[0]?.addresses, [{ ip: '192.0.2.10' }]);
  });

  it('keeps up the objects of priority and fairness, and tells where a level is missing', async () => {
    const flow = (resource: string) => ({ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource });
    const levels = flow('prioritylevelconfigurations');
    const schemas = flow('flowschemas');
    const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';
    const limited = (object: KubeObject) =>
      (object.spec as { limited: { nominalConcurrencyShares: number; lendablePercent: number } }).limited;
    const write = async (name: string, change: (level: KubeObject) => KubeObject) =>
      client.update(levels, change(await client.get(levels, name)));
    const withShares = (level: KubeObject, nominalConcurrencyShares: number): KubeObject => ({
      ...level,
      spec: { type: 'Limited', limited: { ...limited(level), nominalConcurrencyShares } },
    });
    const context = {
      client,
      signal: new AbortController().signal,
      logger: server.config.logger,
      started: Promise.resolve(),
    };
    const before = await client.list(levels);
    await ensureFlowControl(context);
    assert.equal(
      (await client.list(levels)).metadata?.resourceVersion,
      before.metadata?.resourceVersion,
      'nothing to do',
    );

    await write('system', (level) => withShares(level, 31));
    await write('workload-high', (level) => ({
      ...withShares(level, 41),
      metadata: { ...level.metadata, annotations: { [autoUpdate]: 'false' } },
    }));
    await assert.rejects(
      write('catch-all', (level) => withShares(level, 6)),
      /spec of 'catch-all' must equal the fixed value/,
    );
    await write('catch-all', (level) => ({
      ...level,
      metadata: { ...level.metadata, annotations: { [autoUpdate]: 'false' } },
    }));
    await write('exempt', (level) => ({ ...level, spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 7 } } }));
    await client.delete(levels, 'node-high');
    await client.create(levels, {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'of-another-version', annotations: { [autoUpdate]: 'true' } },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
    });
    await ensureFlowControl(context);
    assert.equal(limited(await client.get(levels, 'system')).nominalConcurrencyShares, 30);
    assert.equal(limited(await client.get(levels, 'workload-high')).nominalConcurrencyShares, 41, 'taken over');
    const catchAll = await client.get(levels, 'catch-all');
    assert.equal(limited(catchAll).nominalConcurrencyShares, 5, 'mandatory');
    assert.equal(catchAll.metadata.annotations?.[autoUpdate], 'true');
    const { exempt } = (await client.get(levels, 'exempt')).spec as { exempt: { nominalConcurrencyShares: number } };
    assert.equal(exempt.nominalConcurrencyShares, 7, "the administrator's");
    assert.equal(limited(await client.get(levels, 'node-high')).nominalConcurrencyShares, 40);
    await assert.rejects(client.get(levels, 'of-another-version'), /not found/);

    await client.create(schemas, {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: 'lost' },
      spec: { matchingPrecedence: 700, priorityLevelConfiguration: { name: 'missing' } },
    });
    const dangling = async (status: string) => {
      const schema = await client.get(schemas, 'lost');
      const { conditions = [] } = schema.status as { conditions?: { status: string; message: string }[] };
      if (conditions[0]?.status !== status) throw new Error(`the condition is ${JSON.stringify(conditions)}`);
      return conditions[0].message;
    };
    const reference = 'This FlowSchema references the PriorityLevelConfiguration object named "missing"';
    assert.equal(await eventually(() => dangling('True')), `${reference} but there is no such object`);
    await client.create(levels, {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'missing' },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
    });
    assert.equal(await eventually(() => dangling('False')), `${reference} and it exists`);
  });

  it('refuses content in a namespace that is not there, and the deletion of system namespaces', async () => {
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    await assert.rejects(client.create(core('configmaps', 'nowhere'), configMap), /namespaces "nowhere" not found/);
    await assert.rejects(client.delete(core('namespaces'), 'default'), /this namespace may not be deleted/);
  });

  it('marks a deleted namespace and removes it when it is finalized', async () => {
    await client.create(core('namespaces'), { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gone' } });
    await client.delete(core('namespaces'), 'gone');
    const marked = await client.get(core('namespaces'), 'gone');
    assert.deepEqual(marked.status, { phase: 'Terminating' });
    await client.update(core('namespaces'), { ...marked, spec: { finalizers: [] } }, { subresource: 'finalize' });
    await assert.rejects(client.get(core('namespaces'), 'gone'), /namespaces "gone" not found/);
  });

  it('binds a pod to a node once, with labels that nobody checks', async () => {
    const pods = core('pods', 'default');
    await client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p', labels: { 'not a label': 'x' } },
      target: { kind: 'Node', name: 'n1' },
    };
    await client.request('POST', '/api/v1/namespaces/default/pods/p/binding', undefined, binding);
    const bound = await client.get(pods, 'p');
    assert.equal((bound.spec as { nodeName: string }).nodeName, 'n1');
    assert.deepEqual(bound.metadata.labels, { 'not a label': 'x' });
    assert.equal(bound.metadata.generation, 1);
    await assert.rejects(
      client.request('POST', '/api/v1/namespaces/default/pods/p/binding', undefined, binding),
      /pod p is already assigned to node "n1"/,
    );
  });

  it('evicts the pod that is meant, unless it is a rehearsal', async () => {
    const pods = core('pods', 'default');
    await client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'evicted' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const evict = (deleteOptions: Record<string, unknown>, version = 'v1') =>
      client.request('POST', '/api/v1/namespaces/default/pods/evicted/eviction', undefined, {
        apiVersion: `policy/${version}`,
        kind: 'Eviction',
        metadata: { name: 'evicted' },
        deleteOptions,
      });
    await assert.rejects(
      evict({ preconditions: { uid: 'other' } }),
      /Operation cannot be fulfilled on Pod "evicted": the UID in the precondition \(other\) does not match/,
    );
    await assert.rejects(
      evict({ ignoreStoreReadErrorWithClusterBreakingPotential: true }),
      /Eviction.policy "evicted" is invalid: .* can not be set for pod eviction/,
    );
    await evict({ dryRun: ['All'] });
    assert.equal((await client.get(pods, 'evicted')).metadata.name, 'evicted');
    await evict({}, 'v1beta1');
    await assert.rejects(client.get(pods, 'evicted'), /pods "evicted" not found/);
  });

  it('leaves what is kept as it was written to an apply that changes nothing of it, and orders it otherwise', async () => {
    const claims = { group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaims', namespace: 'default' };
    const requests = [{ name: 'r', exactly: { deviceClassName: 'c' } }];
    const config = [{ opaque: { driver: 'a.b', parameters: { b: 1, a: 2 } } }];
    const named = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'kept' } };
    await client.create(claims, { ...named, spec: { devices: { requests, config } } });
    const path = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/kept';
    const patch = (type: string, body: object) =>
      client.request('PATCH', path, { fieldManager: 'm' }, body, `application/${type}`) as Promise<KubeObject>;
    const devices = {
      requests: [{ ...requests[0], exactly: { ...requests[0]?.exactly, allocationMode: 'ExactCount', count: 1 } }],
    };
    const applied = await patch('apply-patch+yaml', { ...named, spec: { devices } });
    assert.deepEqual(applied.metadata.managedFields?.map(({ operation }) => operation).toSorted(), ['Apply', 'Update']);
    assert.match(JSON.stringify(applied.spec), /"parameters":\{"b":1,"a":2\}/);
    const labelled = { metadata: { labels: { a: 'b' } } };
    await assert.rejects(
      patch('strategic-merge-patch+json', labelled),
      /"kept" is invalid: spec: Invalid value: .*"Parameters":\{"a":2,"b":1\}.*: field is immutable/,
    );
  });

  it('shows a Scale as a row', async () => {
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await client.create(
      { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default' },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'scaled' },
        spec: { replicas: 3, selector: { matchLabels: { app: 'a' } }, template },
      },
    );
    const path = '/apis/apps/v1/namespaces/default/deployments/scaled/scale';
    const table = await client.read(path, 'application/json;as=Table;v=v1;g=meta.k8s.io');
    const { rows } = table as { rows: { cells: unknown[] }[] };
    assert.deepEqual(rows[0]?.cells.slice(0, 3), ['scaled', 3, 0]);
  });

  it('lets a service account do what a role bound to it grants', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'reader' } };
    await client.create(core('serviceaccounts', 'default'), account);
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {} };
    const path = '/api/v1/namespaces/default/serviceaccounts/reader/token';
    const issued = (await client.request('POST', path, undefined, request)) as { status: { token: string } };
    const { url, ca } = server.loopback;
    const reader = new RestClient(httpTransport({ url, token: issued.status.token, ca }));
    const pods = core('pods', 'default');
    await assert.rejects(reader.list(pods), /User "system:serviceaccount:default:reader" cannot list resource "pods"/);
    const rbac = (resource: string) => ({
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      resource,
      namespace: 'default',
    });
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    await client.create(rbac('rolebindings'), {
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader' }],
    });
    await client.create(rbac('roles'), {
      apiVersion,
      kind: 'Role',
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
    });
    let listed = false;
    for (let i = 0; i < 100 && !listed; i++) {
      listed = await reader.list(pods).then(
        () => true,
        () => false,
      );
      if (!listed) await delay(20);
    }
    assert.ok(listed, 'the role has no effect');
    await client.delete(core('serviceaccounts', 'default'), 'reader');
    await reader.close();
  });

  it('has the default roles, and gives them back what they lack', async () => {
    const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
    const view = await client.get(roles, 'system:aggregate-to-view');
    assert.deepEqual(view.metadata.labels, {
      'kubernetes.io/bootstrapping': 'rbac-defaults',
      'rbac.authorization.k8s.io/aggregate-to-view': 'true',
    });
    await client.update(roles, { ...view, rules: [] });
    const log = server.config.logger;
    await reconcileDefaultRoles({ client, signal: server.stopping, logger: log, started: Promise.resolve() });
    const again = await client.get(roles, 'system:aggregate-to-view');
    assert.ok(Array.isArray(again.rules) && again.rules.length > 10);
    assert.equal((await client.get(roles, 'admin')).rules, null);
  });
});

/** Tries until it succeeds, for 10 s at most. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + 10_000; ; await delay(50)) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

describe('the flags of kube-core', () => {
  const options = (...argv: string[]) =>
    kubeCoreOptions(parseFlags(kubeCoreFlags, ['--etcd-servers=http://127.0.0.1:1', ...argv]));

  it('are refused with one line when a value makes no sense', async () => {
    for (const [flag, why] of [
      ['--service-cluster-ip-range=nonsense', 'service-cluster-ip-range[0] is not a valid cidr'],
      ['--service-cluster-ip-range=10.0.0.0/24,nonsense', 'service-cluster-ip-range[1] is not an ip net'],
      [
        '--service-cluster-ip-range=10.0.0.0/30',
        'error determining service IP ranges for primary service cidr: the service cluster IP range must be at least 8 IP addresses',
      ],
      [
        '--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24',
        '--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family',
      ],
      [
        '--service-node-port-range=9-1',
        'invalid argument "9-1" for "--service-node-port-range" flag: end port cannot be less than start port: 9-1',
      ],
      [
        '--service-node-port-range=60000+6000',
        'invalid argument "60000+6000" for "--service-node-port-range" flag: the port range cannot be greater than 65535: 60000+6000',
      ],
      ['--kubernetes-service-node-port=80', "kubernetes service node port range 30000-32767 doesn't contain 80"],
      [
        '--advertise-address=here',
        'invalid argument "here" for "--advertise-address" flag: failed to parse IP: "here"',
      ],
      ['--service-account-issuer=', 'service-account-issuer should not be an empty string'],
      ['--service-account-issuer=https://a,https://a', 'service-account-issuer "https://a" is already specified'],
      ['--service-account-jwks-uri=http://a', 'service-account-jwks-uri requires https scheme, parsed as: http://a'],
    ] as const)
      await assert.rejects(async () => options(flag), { name: 'FlagError', message: why });
    const { kubernetesServiceNodePort } = await options(
      '--service-node-port-range=100+5',
      '--kubernetes-service-node-port=105',
    );
    assert.equal(kubernetesServiceNodePort, 105);
    await assert.rejects(options('--enable-admission-plugins=Nope'), /plugin "Nope" is unknown/);
    await assert.rejects(options('--endpoint-reconciler-type=x'), /must be lease or none/);
  });
});
