import assert from 'node:assert/strict';
import { parseQuery } from '@apichain/request';
import { Registry } from 'prom-client';
import { AdmissionChain, type AdmissionAttributes } from '@apichain/admission';
import { anonymousUser, ServiceAccountTokenCounts } from '@apichain/authn';
import {
  alwaysAllow,
  AuthorizationDecisions,
  PrivilegedGroupsAuthorizer,
  UnionAuthorizer,
  type Authorizer,
} from '@apichain/authz';
import { parseRequestInfo } from '@apichain/request';
import { RequestScope, scopeOf } from '@apichain/request';
import { call, installEcho, TestServers } from './server.fixture.ts';
import { admissionMetrics } from '@apichain/observability';
import { mergeExpositions } from '@apichain/observability';
import { PreparedCounter, PreparedHistogram } from '@apichain/observability';
import { storageMetrics } from '@apichain/observability';
import { installStorageSizes } from '@apichain/observability';
import { WatchEventMetrics } from '@apichain/observability';
import { webhookMetrics } from '@apichain/observability';

const servers = new TestServers();

describe('metrics', () => {
  it('of prepared series have the format of the library', async () => {
    const registry = new Registry();
    const counter = new PreparedCounter({ name: 'c_total', help: 'c', labelNames: ['a'], registry });
    const histogram = new PreparedHistogram({ name: 'h', help: 'h', labelNames: ['a'], buckets: [1, 2], registry });
    const [c, h] = [counter.prepare({ a: 'x"y' }), histogram.prepare({ a: 'z' })];
    counter.prepare({ a: 'never' });
    c.value += 2;
    for (const value of [0.5, 1, 1.5, 9]) h.observe(value);
    assert.equal(
      await registry.metrics(),
      [
        '# HELP c_total c',
        '# TYPE c_total counter',
        'c_total{a="x\\"y"} 2',
        '',
        '# HELP h h',
        '# TYPE h histogram',
        'h_bucket{a="z",le="1"} 2',
        'h_bucket{a="z",le="2"} 3',
        'h_bucket{a="z",le="+Inf"} 4',
        'h_sum{a="z"} 12',
        'h_count{a="z"} 4',
        '',
      ].join('\n'),
    );
    registry.resetMetrics();
    h.observe(3);
    assert.match(await registry.metrics(), /h_count\{a="z"\} 1\n/);
    assert.doesNotMatch(await registry.metrics(), /c_total\{/);
  });

  it('of several servers are summed for counters', () => {
    const first = '# HELP a A.\n# TYPE a counter\na{x="1 2"} 1\na{x="2"} 5\n\n# HELP g G.\n# TYPE g gauge\ng 7\n';
    const second =
      '# HELP g G.\n# TYPE g gauge\ng 9\n\n# HELP a A.\n# TYPE a counter\na{x="1 2"} 3\n# HELP b B.\n# TYPE b counter\nb +Inf\n';
    assert.equal(
      mergeExpositions(first, { text: second, component: undefined }),
      '# HELP a A.\n# TYPE a counter\na{x="1 2"} 4\na{x="2"} 5\n\n# HELP g G.\n# TYPE g gauge\ng 7\n\n# HELP b B.\n# TYPE b counter\nb +Inf\n',
    );
  });

  it('include requests, users and decisions', async () => {
    const target = await servers.start({}, installEcho);
    const { admin, bob } = servers.certificates;
    await call(target, '/readyz');
    await call(target, '/whoami', { as: bob });
    await call(target, '/livez', { headers: { Authorization: 'Bearer wrong' } });
    const metrics = async () => (await call(target, '/metrics', { as: admin })).text;
    const text = await metrics();
    const expect = (line: string) => assert.ok(text.includes(`\n${line}\n`), `${line}\n\n${text}`);
    assert.match(
      text,
      /\napiserver_request_total\{verb="GET",group="",version="",resource="",subresource="\/readyz",scope="",component="apiserver",dry_run="",code="200"\} 1\n/,
    );
    assert.match(text, /\napiserver_request_duration_seconds_count\{.*subresource="\/readyz".*\} 1\n/);
    assert.match(text, /\napiserver_request_sli_duration_seconds_count\{.*subresource="\/readyz".*\} 1\n/);
    assert.match(text, /\napiserver_response_sizes_sum\{.*subresource="\/readyz".*\} 2\n/);
    expect('authentication_attempts{result="error"} 1');
    expect('authorization_attempts_total{result="no-opinion"} 1');
    expect('authenticated_user_requests{username="admin"} 1');
    assert.match(text, /\nauthenticated_user_requests\{username="other"\} 2\n/);
    assert.match(text, /\nkubernetes_build_info\{major="1",minor="36",.*\} 1\n/);
    for (const name of ['process_resident_memory_bytes', 'process_open_fds', 'process_max_fds'])
      assert.match(text, new RegExp(`\\n${name} [1-9]\\d*\\n`));
    for (const name of [
      'nodejs_heap_size_total_bytes',
      'nodejs_heap_size_used_bytes',
      'nodejs_external_memory_bytes',
      'nodejs_array_buffers_bytes',
      'nodejs_heap_space_size_used_bytes{space="old"}',
      'nodejs_version_info{version="v\\d.*"}',
    ])
      assert.match(text, new RegExp(`\\n${name} [1-9]\\d*\\n`), name);
    assert.match(text, /\nnodejs_eventloop_lag_seconds \d/);
    expect('apiserver_client_certificate_expiration_seconds_bucket{le="0"} 0');
    // One certificate of the administrator, who sends this request, and one of bob.
    expect('apiserver_client_certificate_expiration_seconds_count 2');
    assert.equal((await call(target, '/metrics', { as: admin, method: 'DELETE' })).text, 'metrics reset\n');
    assert.doesNotMatch(await metrics(), /subresource="\/readyz"/);
  });

  it('include number and size of watch events', async () => {
    const registry = new Registry();
    const events = new WatchEventMetrics(registry);
    const requestInfo = parseRequestInfo('GET', '/apis/apps/v1/deployments', parseQuery('?watch=1'));
    const scope = Object.assign(Object.create(RequestScope.prototype) as RequestScope, { requestInfo });
    assert.equal(
      events.counterOf(scope, () => false),
      undefined,
    );
    const count = events.counterOf(scope, () => true);
    count?.([Buffer.alloc(1000), Buffer.alloc(3000)]);
    assert.equal(
      events.counterOf(scope, () => true),
      count,
    );
    const labels = 'group="apps",version="v1",resource="deployments"';
    const text = await registry.metrics();
    assert.ok(text.includes(`\napiserver_watch_events_total{${labels}} 2\n`), text);
    assert.ok(text.includes(`\napiserver_watch_events_sizes_bucket{${labels},le="1024"} 1\n`), text);
    assert.ok(text.includes(`\napiserver_watch_events_sizes_sum{${labels}} 4000\n`), text);
  });

  it('include deprecated APIs and body sizes', async () => {
    const target = await servers.start({}, (server) =>
      server.setGroupVersion(
        { group: 'g', version: 'v1beta1' },
        {
          handle: (context, request, response) => {
            scopeOf(request).deprecation = 'g/v1beta1 Thing is deprecated in v1.21+, unavailable in v1.25+';
            response.end(context.requestInfo.name);
            return Promise.resolve();
          },
        },
        [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['create'] }],
        { groupPriorityMinimum: 1, versionPriority: {} },
      ),
    );
    const { admin: as } = servers.certificates;
    const path = '/apis/g/v1beta1/namespaces/a/things';
    await call(target, path, { as, method: 'POST', body: 'x'.repeat(60_000), headers: { 'content-length': '60000' } });
    const { text } = await call(target, '/metrics', { as });
    for (const line of [
      'apiserver_requested_deprecated_apis{group="g",version="v1beta1",resource="things",subresource="",removed_release="1.25"} 1',
      'apiserver_request_body_size_bytes_bucket{group="g",resource="things",verb="create",le="50000"} 0',
      'apiserver_request_body_size_bytes_bucket{group="g",resource="things",verb="create",le="150000"} 1',
    ]) {
      assert.ok(text.includes(`\n${line}\n`), `${line}\n${text}`);
    }
  });

  it('include enabled feature gates', async () => {
    const features = {
      known: () => ({ New: { default: false, stage: 'Alpha' }, Old: { default: true, stage: 'GA' } }),
      given: new Map([['New', 'true']]),
      isOpen: () => true,
    };
    const target = await servers.start({ features });
    const { text } = await call(target, '/metrics', { as: servers.certificates.admin });
    assert.match(text, /\nkubernetes_feature_enabled\{name="New",stage="ALPHA"\} 1\n/);
    assert.match(text, /\nkubernetes_feature_enabled\{name="Old",stage=""\} 1\n/);
  });

  it('include the decisions of authorizers', async () => {
    const authorizationDecisions = new AuthorizationDecisions();
    const authorizer = authorizationDecisions.counting('AlwaysAllow', 'alwaysallow', alwaysAllow);
    const target = await servers.start({ authorizer, authorizationDecisions });
    const read = async () => (await call(target, '/metrics', { as: servers.certificates.admin })).text;
    await read();
    const labels = 'type="AlwaysAllow",name="alwaysallow",decision="allowed"';
    assert.match(await read(), new RegExp(`^apiserver_authorization_decisions_total\\{${labels}\\} 2$`, 'm'));
  });

  it('include impersonation, by mode and decision, and the checks that it makes', async () => {
    const authorizer: Authorizer = {
      authorize: ({ verb, name }) => ({
        decision:
          verb.endsWith(':user-info') || verb.includes('-on:') ? (name === 'eve' ? 'Deny' : 'Allow') : 'NoOpinion',
        reason: '',
      }),
    };
    const target = await servers.start(
      { authorizer: new UnionAuthorizer([new PrivilegedGroupsAuthorizer('system:masters'), authorizer]) },
      installEcho,
    );
    const { bob, admin } = servers.certificates;
    const as = (name: string) => call(target, '/whoami', { as: bob, headers: { 'impersonate-user': name } });
    assert.equal((await as('zoe')).status, 403);
    assert.equal((await as('eve')).status, 403);
    const { text } = await call(target, '/metrics', { as: admin });
    const lines = text
      .split('\n')
      .filter((line) => /^apiserver_impersonation_\w+_(total|count)/.test(line))
      .sort();
    assert.deepEqual(lines, [
      'apiserver_impersonation_attempts_duration_seconds_count{mode="",decision="denied"} 1',
      'apiserver_impersonation_attempts_duration_seconds_count{mode="user-info",decision="allowed"} 1',
      'apiserver_impersonation_attempts_total{mode="",decision="denied"} 1',
      'apiserver_impersonation_attempts_total{mode="user-info",decision="allowed"} 1',
      'apiserver_impersonation_authorization_attempts_duration_seconds_count{mode="legacy",decision="denied"} 1',
      'apiserver_impersonation_authorization_attempts_duration_seconds_count{mode="user-info",decision="allowed"} 3',
      'apiserver_impersonation_authorization_attempts_duration_seconds_count{mode="user-info",decision="denied"} 1',
      'apiserver_impersonation_authorization_attempts_total{mode="legacy",decision="denied"} 1',
      'apiserver_impersonation_authorization_attempts_total{mode="user-info",decision="allowed"} 3',
      'apiserver_impersonation_authorization_attempts_total{mode="user-info",decision="denied"} 1',
    ]);
  });

  it('count no request for a path or a group that is not served', async () => {
    const target = await servers.start({}, installEcho);
    const as = servers.certificates.admin;
    for (const path of ['/nope', '/apis/nope', '/apis/nope/v1'])
      assert.equal((await call(target, path, { as })).status, 404, path);
    assert.equal((await call(target, '/whoami', { as })).status, 200);
    const { text } = await call(target, '/metrics', { as });
    const counted = [...text.matchAll(/^apiserver_request_total\{.*code="(\d+)"\}/gm)].map(([, code]) => code);
    assert.deepEqual(counted, ['200']);
  });

  it('include the uses of tokens of service accounts, from the start', async () => {
    const tokenCounts = Object.assign(new ServiceAccountTokenCounts(), { stale: 2 });
    const target = await servers.start({ tokenCounts });
    const { text } = await call(target, '/metrics', { as: servers.certificates.admin });
    const lines = text
      .split('\n')
      .filter((line) => line.startsWith('serviceaccount_'))
      .sort();
    assert.deepEqual(lines, [
      'serviceaccount_invalid_legacy_auto_token_uses_total 0',
      'serviceaccount_legacy_auto_token_uses_total 0',
      'serviceaccount_legacy_manual_token_uses_total 0',
      'serviceaccount_legacy_tokens_total 0',
      'serviceaccount_stale_tokens_total 2',
      'serviceaccount_valid_tokens_total 0',
    ]);
  });

  it('of webhooks distinguish rejections from failures', async () => {
    const registry = new Registry();
    const observe = webhookMetrics(registry);
    const call = { name: 'w.example.com', mutating: false, operation: 'CREATE', seconds: 0.01 } as const;
    observe({ ...call, outcome: 'allowed', code: 200, failOpen: false });
    observe({ ...call, outcome: 'denied', code: 403, failOpen: true });
    observe({ ...call, outcome: 'error', code: 500, failOpen: false });
    observe({ ...call, outcome: 'error', code: 500, failOpen: true, mutating: true });
    const text = await registry.metrics();
    const labels = 'name="w.example.com",type="validating",operation="CREATE"';
    for (const line of [
      `apiserver_admission_webhook_request_total{${labels},code="200",rejected="false"} 1`,
      `apiserver_admission_webhook_request_total{${labels},code="403",rejected="true"} 1`,
      `apiserver_admission_webhook_rejection_count{${labels},error_type="no_error",rejection_code="403"} 1`,
      `apiserver_admission_webhook_rejection_count{${labels},error_type="calling_webhook_error",rejection_code="500"} 1`,
      'apiserver_admission_webhook_fail_open_count{name="w.example.com",type="admit"} 1',
    ]) {
      assert.ok(text.includes(`\n${line}\n`), `${line}\n${text}`);
    }
  });

  it('of storage have the labels of kube-apiserver', async () => {
    const registry = new Registry();
    const metrics = storageMetrics(registry);
    metrics.etcdRequests('deployments.apps')('update', 0.01, true);
    metrics.cacheInitialized('pods', 7);
    metrics.listed('pods', 'watchcache', 5);
    metrics.listed('pods', 'etcd', 2);
    metrics.eventsReceived('deployments.apps', 3);
    metrics.consistentRead('pods', 'fallback');
    const text = await registry.metrics();
    const update = 'operation="update",group="apps",resource="deployments"';
    for (const line of [
      `etcd_requests_total{${update}} 1`,
      `etcd_request_errors_total{${update}} 1`,
      `etcd_request_duration_seconds_bucket{${update},le="0.025"} 1`,
      'apiserver_watch_cache_events_received_total{group="apps",resource="deployments"} 3',
      'apiserver_watch_cache_events_dispatched_total{group="apps",resource="deployments"} 3',
      'apiserver_storage_events_received_total{group="apps",resource="deployments"} 3',
      'apiserver_init_events_total{group="",resource="pods"} 7',
      'apiserver_cache_list_total{group="",resource="pods",index=""} 1',
      'apiserver_cache_list_returned_objects_total{group="",resource="pods"} 5',
      'apiserver_storage_list_total{group="",resource="pods"} 1',
      'apiserver_storage_list_returned_objects_total{group="",resource="pods"} 2',
    ]) {
      assert.ok(text.includes(`\n${line}\n`), `${line}\n${text}`);
    }
    assert.match(
      text,
      /apiserver_watch_cache_consistent_read_total\{group="",resource="pods",success="false",fallback="true"\} 1\n/,
    );
  });

  it('of admission have plugin, phase and policy', async () => {
    const registry = new Registry();
    const observer = admissionMetrics(registry);
    const handles = new Set(['CREATE'] as const);
    const chain = new AdmissionChain([
      { name: 'Quick', handles, admit: () => undefined, validate: () => undefined },
      { name: 'Strict', handles, validate: () => Promise.reject(new Error('no')) },
    ]);
    const other = new AdmissionChain([{ name: 'Quick', handles, admit: () => undefined }]);
    for (const each of [chain, other]) each.observe(observer);
    const resource = { group: '', version: 'v1', resource: 'pods' };
    const attributes: AdmissionAttributes = {
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource,
      subresource: '',
      namespace: 'default',
      name: 'a',
      dryRun: false,
      user: anonymousUser,
      warn: () => undefined,
    };
    await chain.admit(attributes);
    await other.admit(attributes);
    await assert.rejects(chain.validate(attributes), /no/);
    const check = { mutating: false, policy: 'p', binding: 'b', seconds: 0.01, errorType: 'no_error', action: 'deny' };
    observer.policyCheck(check);
    observer.policyCheck({ ...check, mutating: true });
    const text = await registry.metrics();
    const controller = 'apiserver_admission_controller_admission_duration_seconds_count';
    const step = 'apiserver_admission_step_admission_duration_seconds_count';
    const policy = 'policy="p",policy_binding="b",error_type="no_error"';
    for (const line of [
      `${controller}{name="Quick",type="admit",operation="CREATE",rejected="false"} 2`,
      `${controller}{name="Quick",type="validate",operation="CREATE",rejected="false"} 1`,
      `${controller}{name="Strict",type="validate",operation="CREATE",rejected="true"} 1`,
      `${step}{type="admit",operation="CREATE",rejected="false"} 2`,
      `${step}{type="validate",operation="CREATE",rejected="true"} 1`,
      `apiserver_validating_admission_policy_check_total{${policy},enforcement_action="deny"} 1`,
      `apiserver_mutating_admission_policy_check_total{${policy}} 1`,
    ]) {
      assert.ok(text.includes(`\n${line}\n`), `${line}\n${text}`);
    }
  });

  it('include current sizes, and query etcd at most once a minute', async () => {
    const registry = new Registry();
    const deployments = { group: 'apps', resource: 'deployments' };
    let calls = 0;
    let objects = 2;
    installStorageSizes(registry, {
      resources: () => [
        {
          resource: { group: '', resource: 'pods' },
          cache: { objects, averageBytes: 100, revision: 1_000_000_000_000_005, historyCapacity: 128 },
          size: () => assert.fail('the cache knows'),
        },
        {
          resource: deployments,
          cache: undefined,
          size: () => {
            calls++;
            return Promise.resolve({ count: 3, averageBytes: 10 });
          },
        },
        {
          resource: { group: 'apps', resource: 'daemonsets' },
          cache: undefined,
          size: () => Promise.reject(new Error('no')),
        },
      ],
      databases: [() => Promise.resolve(4096), () => Promise.reject(new Error('away')), () => Promise.resolve(1)],
    });
    await registry.metrics();
    objects = 4;
    const text = await registry.metrics();
    assert.equal(calls, 1);
    for (const line of [
      'apiserver_resource_objects{group="",resource="pods"} 4',
      'apiserver_resource_objects{group="apps",resource="deployments"} 3',
      'apiserver_resource_objects{group="apps",resource="daemonsets"} -1',
      'apiserver_storage_objects{resource="deployments.apps"} 3',
      'apiserver_resource_size_estimate_bytes{group="",resource="pods"} 400',
      'apiserver_resource_size_estimate_bytes{group="apps",resource="daemonsets"} -1',
      'apiserver_watch_cache_resource_version{group="",resource="pods"} 5',
      'watch_cache_capacity{group="",resource="pods"} 128',
      'apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 4096',
      'apiserver_storage_size_bytes{storage_cluster_id="etcd-2"} 1',
    ]) {
      assert.ok(text.includes(`\n${line}\n`), `${line}\n${text}`);
    }
  });
});
