import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { runWhileLeading } from '@apichain/client';
import { startControllers } from '@apichain/controllers';
import { withClock } from '@apichain/meta';
import { startChain } from '@apichain/testing';
import { Kubectl } from './kubectl.ts';
import { PodRunner, clientOf } from './pod-runner.ts';
import {
  addNode,
  daemonSets,
  deployment,
  deploymentThat,
  deployments,
  imageOf,
  isRolledOut,
  replicaSets,
  statefulSets,
  template,
  waitFor,
} from './workload-objects.ts';

describe('workload controllers of two replicas', function () {
  this.timeout(480_000);

  it('hand over in the middle of a rollout, by their lease', async () => {
    await using chain = await startChain();
    await using runner = new PodRunner(chain);
    const client = clientOf(chain);
    const log = { info: () => undefined, error: () => undefined };
    const leaders: string[] = [];
    const replica = (identity: string) => {
      const stop = new AbortController();
      const stopped = withClock(chain.clock, () =>
        runWhileLeading(
          {
            ...{
              client,
              log,
              identity,
              signal: stop.signal,
              namespace: 'kube-system',
              name: 'kube-controller-manager',
            },
            ...{ leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 20 },
          },
          async (signal) => {
            leaders.push(identity);
            await startControllers({ client, signal, controllers: ['deployment', 'replicaset'] }).stopped;
          },
        ),
      );
      return {
        stop: () => {
          stop.abort();
          return stopped;
        },
      };
    };
    let current = replica('replica 0');
    await client.create(deployments, deployment({ replicas: 6 }));
    await deploymentThat(client, 'a first rollout', isRolledOut);
    await client.patch(deployments, 'web', 'merge', { spec: { template: template('a:2') } });
    for (const updated of [1, 3, 5]) {
      const next = replica(`replica ${updated}`);
      await deploymentThat(client, 'a part of the update', ({ status }) => (status?.updatedReplicas ?? 0) >= updated);
      assert.equal(await current.stop(), 'stopped');
      current = next;
    }
    await deploymentThat(client, 'an update', isRolledOut);
    assert.deepEqual(runner.running().map(imageOf), Array(6).fill('a:2'));
    assert.equal((await client.list(replicaSets)).items.length, 2);
    assert.equal(new Set(leaders).size, leaders.length);
    await current.stop();
    await client.close();
  });
});

describe('workload controllers through failures', function () {
  this.timeout(480_000);

  it('create no pod too many while watches break and requests fail', async () => {
    await using chain = await startChain();
    await using runner = new PodRunner(chain);
    const client = clientOf(chain);
    const stop = new AbortController();
    const workloads = ['replicaset', 'statefulset', 'daemonset'];
    const { stopped } = withClock(chain.clock, () =>
      startControllers({ client, signal: stop.signal, controllers: workloads }),
    );
    chain.faults.add({ match: { verb: 'watch' }, dropWatchAfterMs: 40, times: 20 });
    chain.faults.add({ match: { verb: 'create', resource: 'pods' }, status: 500, times: 5 });
    chain.faults.add({ match: { verb: 'update', subresource: 'status' }, status: 409, times: 5 });
    chain.faults.add({ match: { verb: 'list', resource: 'pods' }, latencyMs: 50 });
    const labels = (app: string) => ({ selector: { matchLabels: { app } }, template: template('a:1', app) });
    for (const name of ['n1', 'n2', 'n3', 'n4', 'n5']) await addNode(client, name);
    const object = (kind: string, spec: object) => ({ apiVersion: 'apps/v1', kind, metadata: { name: 'x' }, spec });
    await client.create(replicaSets, object('ReplicaSet', { replicas: 40, ...labels('r') }));
    await client.create(statefulSets, object('StatefulSet', { replicas: 5, serviceName: 'x', ...labels('s') }));
    await client.create(daemonSets, object('DaemonSet', labels('d')));
    const isReady = async () => {
      const [replicas, stateful, daemons] = await Promise.all([
        client.get(replicaSets, 'x'),
        client.get(statefulSets, 'x'),
        client.get(daemonSets, 'x'),
      ]);
      const counts = [replicas.status?.readyReplicas, stateful.status?.readyReplicas, daemons.status?.numberReady];
      return counts.join() === '40,5,5';
    };
    await waitFor(isReady);
    const created = chain.requests.filter(
      ({ verb, resource, status }) => verb === 'create' && resource === 'pods' && status === 201,
    );
    assert.equal(created.length, 50);
    assert.equal(runner.running().length, 50);
    stop.abort();
    await stopped;
    await client.close();
  });
});

describe('kubectl rollout', function () {
  this.timeout(480_000);

  it('waits for rollouts, tells their history, pauses, resumes and undoes', async () => {
    await using chain = await startChain({ controllers: ['deployment', 'replicaset', 'statefulset', 'daemonset'] });
    await using runner = new PodRunner(chain);
    const client = clientOf(chain);
    const directory = dirname(chain.kubeconfigFile);
    const kubectl = new Kubectl({ kubeconfig: chain.kubeconfigFile, dataDirectory: directory });
    const run = (command: string) => kubectl.ok(command.split(' '));
    await addNode(client, 'n1');
    const labels = { selector: { matchLabels: { app: 'x' } }, template: template('a:1', 'x') };
    const object = (kind: string, name: string, spec: object) => ({
      ...{ apiVersion: 'apps/v1', kind, metadata: { name }, spec: { ...labels, ...spec } },
    });
    await client.create(statefulSets, object('StatefulSet', 'db', { replicas: 2, serviceName: 'x' }));
    await client.create(daemonSets, object('DaemonSet', 'agent', {}));
    await run('create deployment web --image=a:1 --replicas=3');
    for (const [what, name, done] of [
      ['deployment/web', 'a', 'deployment "web" successfully rolled out'],
      ['statefulset/db', 'a', 'partitioned roll out complete: 2 new pods have been updated'],
      ['daemonset/agent', 'a', 'daemon set "agent" successfully rolled out'],
    ] as const) {
      const status = async () => assert.ok((await run(`rollout status ${what} --timeout=120s`)).includes(done));
      await status();
      await run(`set image ${what} ${name}=a:2`);
      await status();
      const history = await run(`rollout history ${what}`);
      assert.match(history, /\n1 +<none>\n2 +<none>\n/);
      await run(`rollout undo ${what}`);
      await status();
      assert.match(await run(`rollout history ${what}`), /\n2 +<none>\n3 +<none>\n/);
    }
    assert.ok(runner.running().every((pod) => imageOf(pod) === 'a:1'));
    await run('rollout pause deployment/web');
    await run('set image deployment/web a=a:3');
    await run('rollout resume deployment/web');
    assert.match(await run('rollout status deployment/web --timeout=120s'), /successfully rolled out/);
    await run('scale deployment/web --replicas=5');
    assert.match(await run('rollout status deployment/web --timeout=120s'), /successfully rolled out/);
    assert.equal(runner.running().filter((pod) => imageOf(pod) === 'a:3').length, 5);
    await client.close();
  });
});
