import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { factsOf, factsOfAll } from './facts.ts';
import { errorsIn, staleReads } from './run.ts';
import { deploymentIn, outsideOfCluster, parseManifests } from './manifests.ts';
import { withoutTemplateHashes } from './report.ts';
import { difference, requestCounts, sum } from './requests.ts';

describe('the comparison of controllers', () => {
  it('prints its usage, and refuses an unknown option', () => {
    const run = (tool: string, ...args: string[]) => {
      const main = fileURLToPath(new URL(`../${tool}.ts`, import.meta.url));
      return spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', timeout: 60_000 });
    };
    for (const tool of ['controllers', 'takeovers']) {
      const usage = `usage: KUBE_APISERVER=FILE node tools/compatibility/${tool}.ts`;
      assert.equal(run(tool, '--help').stdout.slice(0, usage.length), usage);
      const refused = run(tool, '--nope');
      assert.equal(refused.status, 2);
      assert.match(refused.stderr, /^Unknown option '--nope'/);
    }
    const unknown = run('controllers', '--beside', 'go+kubelets,kind');
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /^--beside: "kind" is none of go\+kubelets, apichain\+kubelets, /);
  });

  it('takes objects for the same that differ in names, times and the order of managers and conditions', () => {
    const pod = (suffix: string, time: string, node: string, conditions: readonly string[], managers: string[]) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `web-7d4b9c-${suffix}`,
        uid: suffix,
        resourceVersion: suffix,
        creationTimestamp: time,
        managedFields: managers.map((manager) => ({ manager, operation: 'Update' as const, time, fieldsV1: {} })),
      },
      spec: { nodeName: node, containers: [{ name: 'main' }] },
      status: { conditions: conditions.map((type) => ({ type, status: 'True', lastTransitionTime: time })) },
    });
    const one = pod('bcdfg', '2026-01-01T00:00:00Z', 'node-1', ['Ready', 'Initialized'], ['a', 'b']);
    const other = pod('x2456', '2027-02-02T10:00:00Z', 'node-3', ['Initialized', 'Ready'], ['b', 'a']);
    assert.equal(factsOf(one), factsOf(other));
    assert.match(factsOfAll([one, other]), /^2 times /);
    const third = pod('x2456', '2027-02-02T10:00:00Z', 'node-3', ['Initialized', 'Ready'], ['b', 'c']);
    assert.notEqual(factsOf(one), factsOf(third));
    assert.notEqual(factsOf(one), factsOf({ ...one, spec: { ...one.spec, containers: [] } }));
  });

  it('takes templates for the same whose hashes differ, where different controllers have hashed them', () => {
    const text = (hash: string) => `"pod-template-hash": "${hash}" ReplicaSet "web-${hash}" web-${hash}-RANDOM`;
    assert.equal(withoutTemplateHashes(text('8d8747955')), withoutTemplateHashes(text('ff59f9fc4')));
    assert.notEqual(withoutTemplateHashes('web-NODE'), withoutTemplateHashes('web-8d8747955'));
  });

  it('finds the errors of four forms of logs, and counts those that differ in numbers and names only', () => {
    const errors = errorsIn(
      [
        'I0101 10:00:00.000000       1 main.go:1] "error in the text of another level"',
        'E0101 10:00:00.000000       1 sync.go:20] "Failed" pod="default/web-7d4b9c5f8-x2456" version=17',
        'E0101 10:00:01.500000      22 sync.go:20] "Failed" pod="default/web-8c5b9d6f7-bcdfg" version=18',
        'time=2026-01-01T10:00:00Z level=ERROR msg="sync failed"',
        '{"level":"error","ts":1795422124.1,"msg":"sync failed"}',
        '2026-01-01T10:00:00Z\tERROR\tsetup\tsync failed',
        '    at a line of a stack',
      ].join('\n'),
    );
    assert.equal(errors.get('E sync.go:N] "Failed" pod="default/web-HASH-RANDOM" version=N'), 2);
    assert.equal(errors.size, 4);
    assert.equal(sum(errors), 5);
  });

  it('counts the passes that found a copy older than what was written', () => {
    const line = (key: string) =>
      `E0101 10:00:00.000000 1 stateful_set.go:1] "Error" err="read version: 7 is not as new as written version: 9 for group resource pods" key="${key}"`;
    assert.equal(staleReads([line('a/b'), 'E0101 10:00:00.000000 1 a.go:1] other', line('a/c')].join('\n')), 2);
    assert.equal(staleReads(''), 0);
  });

  it('counts requests of all services by verb, resource and code', () => {
    const line = (labels: string, count: number) => `apiserver_request_total{${labels}} ${count}\n`;
    const before = requestCounts(line('code="200",group="apps",resource="deployments",subresource="",verb="GET"', 3));
    const after = requestCounts(
      line('code="200",group="apps",resource="deployments",subresource="",verb="GET"', 5) +
        line('code="409",group="apps",resource="deployments",subresource="status",verb="PUT"', 1) +
        'apiserver_request_duration_seconds_count{verb="GET"} 9\n',
    );
    assert.deepEqual(
      [...difference(after, before)],
      [
        ['GET deployments.apps 200', 2],
        ['PUT deployments/status.apps 409', 1],
      ],
    );
  });

  it('leads the webhooks of manifests to ports of this machine', () => {
    const manifests = parseManifests(
      `
apiVersion: apps/v1
kind: Deployment
metadata: { name: manager, namespace: system }
spec:
  template:
    spec:
      serviceAccountName: manager
      containers: [{ args: ["--gates=A=\${A:=false},B=\${B:=true}", '--socket=\${SOCKET:=""}'] }]
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: { name: serving }
---
apiVersion: v1
kind: Service
metadata: { name: hooks }
spec: { ports: [{ port: 443 }], selector: { app: manager } }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: hooks }
webhooks:
  - name: a.example.com
    clientConfig: { service: { name: hooks, namespace: system, path: /validate } }
  - name: b.example.com
    clientConfig: { service: { name: other, namespace: system } }
`,
      { A: 'true' },
    );
    assert.deepEqual(deploymentIn(manifests), {
      namespace: 'system',
      account: 'manager',
      args: ['--gates=A=true,B=true', '--socket='],
    });
    const [service, webhooks, ...more] = outsideOfCluster(
      manifests,
      new Map([['hooks', { port: 7443, caBundle: 'Y2E=' }]]),
    );
    assert.deepEqual(more, []);
    assert.deepEqual(service?.['spec'], { type: 'ExternalName', externalName: '127.0.0.1' });
    assert.deepEqual(webhooks?.['webhooks'], [
      {
        name: 'a.example.com',
        clientConfig: {
          service: { name: 'hooks', namespace: 'system', path: '/validate', port: 7443 },
          caBundle: 'Y2E=',
        },
      },
      { name: 'b.example.com', clientConfig: { service: { name: 'other', namespace: 'system' } } },
    ]);
    assert.throws(() => deploymentIn([]), /no Deployment in the manifests/);
  });
});
