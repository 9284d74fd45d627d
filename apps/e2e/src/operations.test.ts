import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { type Chain, startChain } from './chain.ts';
import { call } from './http.ts';

const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';
const aggregated = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

/** The checks that kube-apiserver 1.36 lists at `/livez?verbose` with only the flags of this file, sorted. */
const checks = `
  autoregister-completion etcd log loopback-serving-certificate ping
  poststarthook/aggregator-reload-proxy-client-cert poststarthook/apiservice-discovery-controller
  poststarthook/apiservice-openapi-controller poststarthook/apiservice-openapiv3-controller
  poststarthook/apiservice-registration-controller poststarthook/apiservice-status-local-available-controller
  poststarthook/apiservice-status-remote-available-controller poststarthook/apiservice-wait-for-first-sync
  poststarthook/bootstrap-controller
  poststarthook/crd-informer-synced poststarthook/generic-apiserver-start-informers
  poststarthook/kube-apiserver-autoregistration poststarthook/peer-endpoint-reconciler-controller
  poststarthook/priority-and-fairness-config-consumer
  poststarthook/priority-and-fairness-config-producer poststarthook/priority-and-fairness-filter
  poststarthook/rbac/bootstrap-roles poststarthook/scheduling/bootstrap-system-priority-classes
  poststarthook/start-apiextensions-controllers poststarthook/start-apiextensions-informers
  poststarthook/start-apiserver-admission-initializer poststarthook/start-cluster-authentication-info-controller
  poststarthook/start-kube-aggregator-informers poststarthook/start-kube-apiserver-identity-lease-controller
  poststarthook/start-kube-apiserver-identity-lease-garbage-collector
  poststarthook/start-kubernetes-service-cidr-controller poststarthook/start-legacy-token-tracking-controller
  poststarthook/start-service-ip-repair-controllers poststarthook/start-system-namespaces-controller
  poststarthook/storage-object-count-tracker-hook poststarthook/storage-readiness`
  .trim()
  .split(/\s+/);

/** The default priority levels: shares and lendable percent, then queues, hand size and queue length. */
const priorityLevels = [
  'catch-all Limited 5 0 Reject',
  'exempt Exempt 0 0',
  'global-default Limited 20 50 Queue 128 6 50',
  'leader-election Limited 10 0 Queue 16 4 50',
  'node-high Limited 40 25 Queue 64 6 50',
  'system Limited 30 33 Queue 64 6 50',
  'workload-high Limited 40 50 Queue 128 6 50',
  'workload-low Limited 100 90 Queue 128 6 50',
];
const flowSchemas = [
  'exempt 1 exempt',
  'probes 2 exempt',
  'system-leader-election 100 leader-election ByUser',
  'system-node-high 400 node-high ByUser',
  'system-nodes 500 system ByUser',
  'kube-controller-manager 800 workload-high ByNamespace',
  'kube-scheduler 800 workload-high ByNamespace',
  'kube-system-service-accounts 900 workload-high ByNamespace',
  'service-accounts 9000 workload-low ByUser',
  'global-default 9900 global-default ByUser',
  'catch-all 10000 catch-all ByUser',
];

interface Levels {
  readonly nominalConcurrencyShares: number;
  readonly lendablePercent: number;
  readonly limitResponse?: {
    readonly type: string;
    readonly queuing?: { readonly queues: number; readonly handSize: number; readonly queueLengthLimit: number };
  };
}
interface FlowControlObject {
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
  readonly spec: {
    readonly type?: string;
    readonly limited?: Levels;
    readonly exempt?: Levels;
    readonly matchingPrecedence: number;
    readonly priorityLevelConfiguration: { readonly name: string };
    readonly distinguisherMethod?: { readonly type: string };
  };
  readonly status: {
    readonly conditions: { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

describe('the endpoints for operators', () => {
  let chain: Chain;
  before(async () => {
    chain = await startChain({
      args: [
        ...['--in-process', '--memory', '--controllers=-*', '--authorization-mode=RBAC'],
        '--cors-allowed-origins=//example\\.com(:|$)',
        '--strict-transport-security-directives=max-age=31536000,includeSubDomains',
      ],
    });
  });
  after(() => chain?.stop());

  const get = (path: string, headers: Record<string, string> = {}) => call(chain, 'GET', path, { headers });
  const items = async (path: string) => (await get(path)).json<{ items: FlowControlObject[] }>().items;

  it('list the health checks of kube-apiserver, each with its path', async () => {
    const named = async (probe: string) =>
      [...(await get(`/${probe}?verbose`)).text.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name]) => name ?? '').sort();
    assert.deepEqual(await named('livez'), checks);
    assert.deepEqual(await named('healthz'), checks);
    const ready = checks.filter((name) => name !== 'loopback-serving-certificate');
    assert.deepEqual(await named('readyz'), [...ready, 'etcd-readiness', 'informer-sync', 'shutdown'].sort());
    for (const name of checks) assert.equal((await get(`/livez/${name}`)).text, 'ok', name);
    const excluded = await get('/readyz?verbose&exclude=etcd&exclude=b&exclude=a');
    assert.match(excluded.text, /^\[\+\]etcd excluded: ok$/m);
    assert.match(
      excluded.text,
      /\nwarn: some health checks cannot be excluded: no matches for "a","b"\nreadyz check passed\n$/,
    );
    assert.equal(excluded.headers['x-content-type-options'], 'nosniff');
  });

  it('return 304 for aggregated discovery that did not change', async () => {
    const first = await get('/apis', { accept: aggregated('v2') });
    assert.equal(first.headers['content-type'], aggregated('v2'));
    assert.equal(first.headers['vary'], 'Accept');
    assert.equal(first.headers['cache-control'], 'public');
    const etag = `"${createHash('sha512').update(first.text).digest('hex').toUpperCase()}"`;
    assert.equal(first.headers['etag'], etag);
    const again = (tag: string) => get('/apis', { accept: aggregated('v2'), 'if-none-match': tag });
    const unchanged = await again(etag);
    assert.deepEqual([unchanged.status, unchanged.text, unchanged.headers['etag']], [304, '', etag]);
    assert.equal((await again(`W/${etag}`)).status, 200, 'only the very tag');
    assert.equal((await get('/apis', { accept: `${aggregated('v2')};profile=nopeer` })).headers['etag'], etag);
    const { items: groups } = first.json<{
      items: { metadata: { name: string }; versions: { freshness: string }[] }[];
    }>();
    assert.deepEqual(
      groups.slice(0, 3).map(({ metadata }) => metadata.name),
      ['apiregistration.k8s.io', 'apps', 'events.k8s.io'],
    );
    assert.ok(groups.every(({ versions }) => versions.every(({ freshness }) => freshness === 'Current')));
    assert.equal((await get('/apis', { accept: aggregated('v2beta1') })).status, 406);
    const older = await get('/apis', { accept: `${aggregated('v2beta1')},application/json` });
    assert.equal(older.json()['kind'], 'APIGroupList');
  });

  it('list OpenAPI v3 documents by URLs with their hash', async () => {
    const index = (await get('/openapi/v3')).json<{ paths: Record<string, { serverRelativeURL: string }> }>();
    const url = index.paths['apis/apps/v1']?.serverRelativeURL ?? '';
    const document = await get(url);
    const hash = /\?hash=([0-9A-F]{128})$/.exec(url)?.[1];
    assert.equal(document.headers['etag'], `"${hash}"`);
    const year = Date.parse(String(document.headers['expires'])) - Date.now();
    assert.ok(Math.abs(year - 365 * 86_400_000) < 60_000, 'for a year');
    const unknown = await get('/openapi/v3/apis/none/v1');
    assert.deepEqual([unknown.status, unknown.text], [404, '']);
    for (const version of ['v2', 'v3']) {
      const type = (separator: string) =>
        `application/com.github.proto-openapi.spec.${version}${separator}v1.0+protobuf`;
      const path = version === 'v2' ? '/openapi/v2' : url;
      for (const separator of ['.', '@'])
        assert.equal((await get(path, { accept: type(separator) })).headers['content-type'], type('.'));
    }
  });

  it('include the mandatory and suggested priority levels and flow schemas', async () => {
    const levels = (await items(`${flowControl}/prioritylevelconfigurations`)).map(({ metadata, spec }) => {
      const { nominalConcurrencyShares, lendablePercent, limitResponse } = (spec.limited ?? spec.exempt) as Levels;
      const { queues, handSize, queueLengthLimit } = limitResponse?.queuing ?? {};
      const all = [metadata.name, spec.type, nominalConcurrencyShares, lendablePercent, limitResponse?.type];
      return [...all, queues, handSize, queueLengthLimit].filter((part) => part !== undefined).join(' ');
    });
    assert.deepEqual(levels, priorityLevels);
    const schemas = await items(`${flowControl}/flowschemas`);
    const lines = schemas
      .sort((a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence)
      .map(({ metadata: { name }, spec: { matchingPrecedence, priorityLevelConfiguration, distinguisherMethod } }) =>
        [name, matchingPrecedence, priorityLevelConfiguration.name, ...Object.values(distinguisherMethod ?? {})].join(
          ' ',
        ),
      );
    assert.deepEqual(lines, flowSchemas);
    for (const { metadata, status } of schemas) {
      assert.equal(metadata.annotations?.['apf.kubernetes.io/autoupdate-spec'], 'true');
      const [dangling] = status.conditions;
      assert.deepEqual([dangling?.type, dangling?.status, dangling?.reason], ['Dangling', 'False', 'Found']);
    }
  });

  it('set CORS headers for configured origins, and the HSTS header', async () => {
    const hsts = 'max-age=31536000; includeSubDomains';
    const allowed = await get('/version', { origin: 'https://example.com:8443' });
    assert.equal(allowed.headers['strict-transport-security'], hsts);
    assert.equal(allowed.headers['access-control-allow-origin'], 'https://example.com:8443');
    assert.equal(allowed.headers['access-control-allow-methods'], 'POST, GET, OPTIONS, PUT, DELETE, PATCH');
    assert.equal(allowed.headers['access-control-allow-credentials'], 'true');
    assert.equal(allowed.headers['access-control-expose-headers'], 'Date');
    const preflight = (origin: string) => call(chain, 'OPTIONS', '/api/v1/pods', { headers: { origin }, admin: false });
    const asked = await preflight('https://example.com');
    assert.deepEqual([asked.status, asked.text], [204, ''], 'before anybody asks who it is');
    const refused = await preflight('https://example.org');
    assert.equal(refused.headers['access-control-allow-origin'], undefined);
    assert.equal(refused.status, 403);
  });

  it('serve TLS from 1.2 on, prefer HTTP/2 to HTTP/1.1, and accept headers of a mebibyte', async () => {
    const port = Number(new URL(chain.url).port);
    const handshake = (options: ConnectionOptions) =>
      new Promise<TLSSocket>((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port, ca: chain.admin.ca, ...options }, () => resolve(socket));
        socket.once('error', reject);
      });
    await assert.rejects(handshake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }));
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await handshake({ maxVersion, ALPNProtocols: ['http/1.1', 'h2'] });
      assert.deepEqual([socket.getProtocol(), socket.alpnProtocol], [maxVersion, 'h2']);
      socket.destroy();
    }
    const withHeader = (length: number) => get('/version', { 'x-long': 'a'.repeat(length) });
    assert.equal((await withHeader(1_040_000)).status, 200);
    const tooLong = await withHeader(1_100_000);
    assert.deepEqual([tooLong.status, tooLong.text], [431, '431 Request Header Fields Too Large']);
  });

  it('serve non-resource paths as kube-apiserver does', async () => {
    const version = (await get('/version')).json<Record<string, string>>();
    const { major, minor, emulationMajor, emulationMinor, minCompatibilityMajor, minCompatibilityMinor } = version;
    assert.deepEqual([major, minor, emulationMajor, emulationMinor], ['1', '36', '1', '36']);
    assert.deepEqual([minCompatibilityMajor, minCompatibilityMinor], ['1', '35']);
    assert.equal((await get('/index.html')).text, (await get('/')).text);
    const keys = await get('/openid/v1/jwks');
    assert.equal(keys.headers['content-type'], 'application/jwk-set+json');
    const discovery = await get('/.well-known/openid-configuration');
    for (const { headers } of [keys, discovery]) assert.equal(headers['cache-control'], 'public, max-age=3600');
    for (const path of ['/logs/', '/swagger.json', '/nowhere']) {
      const { status, text } = await get(path);
      assert.deepEqual([status, text], [404, '404 page not found\n'], path);
    }
  });

  it('use the metric names of kube-apiserver', async () => {
    await get('/api/v1/pods');
    await call(chain, 'POST', '/api/v1/namespaces', { body: '{"metadata":{"name":"measured"}}' });
    const { text } = await get('/metrics');
    for (const [name, labels] of Object.entries({
      apiserver_request_total: 'verb,dry_run,group,version,resource,subresource,scope,component,code',
      apiserver_request_duration_seconds_bucket: 'verb,dry_run,group,version,resource,subresource,scope,component,le',
      apiserver_response_sizes_count: 'verb,group,version,resource,subresource,scope,component',
      apiserver_longrunning_requests: 'verb,group,version,resource,subresource,scope,component',
      apiserver_current_inflight_requests: 'request_kind',
      apiserver_resource_objects: 'group,resource',
      apiserver_storage_objects: 'resource',
      apiserver_storage_size_bytes: 'storage_cluster_id',
      apiserver_cache_list_total: 'group,resource,index',
      apiserver_admission_controller_admission_duration_seconds_count: 'name,operation,rejected,type',
      apiserver_admission_step_admission_duration_seconds_count: 'operation,rejected,type',
      apiserver_flowcontrol_dispatched_requests_total: 'priority_level,flow_schema',
      apiserver_flowcontrol_request_execution_seconds_count: 'priority_level,flow_schema,type',
      apiserver_watch_cache_initializations_total: 'group,resource',
      authentication_attempts: 'result',
      etcd_request_duration_seconds_count: 'operation,group,resource',
      kubernetes_feature_enabled: 'name,stage',
      workqueue_depth: 'name',
    })) {
      const line = new RegExp(`^${name}\\{(.*)\\} `, 'm').exec(text)?.[1] ?? '';
      const found = [...line.matchAll(/(\w+)="/g)].map(([, label]) => label).sort();
      assert.deepEqual(found, labels.split(',').sort(), name);
    }
    assert.match(
      (await get('/metrics/slis')).text,
      /^kubernetes_healthchecks_total\{name="etcd",type="livez",status="success"\} \d/m,
    );
    assert.equal((await call(chain, 'DELETE', '/metrics')).text, 'metrics reset\n');
    assert.doesNotMatch((await get('/metrics')).text, /resource="namespaces".*code="201"/);
  });
});
