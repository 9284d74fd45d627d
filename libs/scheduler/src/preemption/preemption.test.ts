import assert from 'node:assert/strict';
import type { PodDisruptionBudget } from '@apichain/api/policy/v1';
import type { Cluster } from '../cluster/cluster.ts';
import { type TestPod, testCluster, testPodInfo } from '../cluster/objects.fixture.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { SchedulingAlgorithm } from '../framework/algorithm.ts';
import { defaultProfile } from '../framework/profile.ts';
import { Nominator } from '../queue/nominator.ts';
import { bestCandidate, findPreemption } from './preemption.ts';
import { type Candidate, splitByBudgets } from './victims.ts';

const profile = defaultProfile({ reserve: () => assert.fail('no volume is expected') });

/** What comes of preemption for a pod that fits no node: `n1 <- a, b`, or the message. */
function preempt(cluster: Cluster, pod: PodInfo, nominator = new Nominator()): string {
  const decision = new SchedulingAlgorithm(profile, cluster, nominator).decide(pod);
  assert.ok('diagnosis' in decision, 'the pod fits');
  const outcome = findPreemption(pod, decision.diagnosis, decision.filters, cluster, nominator);
  if (!('candidate' in outcome)) return outcome.message;
  const { node, victims } = outcome.candidate;
  return `${node} <- ${victims.map(({ name }) => name).join(', ')}`;
}

const pod = (cpu: string, priority = 0, more: TestPod = {}): TestPod => ({
  requests: { cpu },
  ...more,
  spec: { priority, ...more.spec },
});
const subject = (cpu: string, priority: number, more: TestPod = {}) => testPodInfo('subject', pod(cpu, priority, more));

const budget = (app: string, disruptionsAllowed: number, disrupted: readonly string[] = []): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: app, namespace: 'default' },
  spec: { selector: { matchLabels: { app } } },
  status: {
    disruptionsAllowed,
    disruptedPods: Object.fromEntries(disrupted.map((name) => [name, '2026-01-01T00:00:00Z'])),
  },
});

describe('preemption', () => {
  it('removes the fewest and least important pods', () => {
    const cluster = testCluster({ n1: {} }, { n1: { a: pod('2', 3), b: pod('1', 1), c: pod('1', 2) } });
    assert.equal(preempt(cluster, subject('1', 10)), 'n1 <- b');
    assert.equal(preempt(cluster, subject('2', 10)), 'n1 <- c, b');
  });

  it('removes no pod of the same or a higher priority', () => {
    const cluster = testCluster({ n1: {} }, { n1: { a: pod('4', 10) } });
    const expected = '0/1 nodes are available: 1 No preemption victims found for incoming pod.';
    assert.equal(preempt(cluster, subject('1', 10)), expected);
  });

  it('says when it does not help', () => {
    const cluster = testCluster(
      { n1: {}, n2: { spec: { unschedulable: true } } },
      { n1: { a: pod('3', 10), b: pod('1', 1) } },
    );
    assert.equal(
      preempt(cluster, subject('2', 10)),
      '0/2 nodes are available: 1 Insufficient cpu, 1 Preemption is not helpful for scheduling.',
    );
    assert.equal(
      preempt(cluster, subject('9', 10)),
      '0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    );
  });

  it('is not for pods with the policy Never', () => {
    const cluster = testCluster({ n1: {} }, { n1: { a: pod('4') } });
    const polite = subject('1', 10, { spec: { preemptionPolicy: 'Never' } });
    assert.equal(preempt(cluster, polite), 'not eligible due to preemptionPolicy=Never.');
  });

  it('waits for victims of an earlier preemption', () => {
    const leaving: TestPod = {
      ...pod('4', 1),
      deletionTimestamp: '2026-01-01T00:00:00Z',
      status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
    };
    const cluster = testCluster({ n1: {} }, { n1: { leaving } });
    const nominated = subject('1', 10, { status: { nominatedNodeName: 'n1' } });
    assert.equal(preempt(cluster, nominated), 'not eligible due to a terminating pod on the nominated node.');
    assert.equal(preempt(cluster, subject('1', 10)), 'n1 <- leaving');
  });

  it('makes room for affinity as well as for resources', () => {
    const labels = { app: 'web' };
    const against = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' },
          ],
        },
      },
    };
    const cluster = testCluster({ n1: {} }, { n1: { a: { labels }, b: {} } });
    assert.equal(preempt(cluster, subject('1', 10, { spec: against })), 'n1 <- a');
  });

  it('leaves room for more important nominated pods', () => {
    const cluster = testCluster({ n1: {} }, { n1: { a: pod('4', 1) } });
    const nominator = new Nominator();
    nominator.set(testPodInfo('other', pod('4', 20)), 'n1');
    assert.equal(preempt(cluster, subject('1', 10), nominator), '0/1 nodes are available: 1 Insufficient cpu.');
  });

  it('spares pods with a disruption budget if another node does as well', () => {
    const guarded = { labels: { app: 'guarded' } };
    const cluster = testCluster({ n1: {}, n2: {} }, { n1: { a: pod('4', 1, guarded) }, n2: { b: pod('4', 5) } });
    assert.equal(preempt(cluster, subject('4', 10)), 'n1 <- a');
    cluster.objects.podDisruptionBudgets.set(budget('guarded', 0));
    assert.equal(preempt(cluster, subject('4', 10)), 'n2 <- b');
  });

  it('counts disruptions against budgets, but not those that were counted before', () => {
    const pods = ['a', 'b', 'c'].map((name) => testPodInfo(name, { labels: { app: 'web' } }));
    const violating = (...budgets: PodDisruptionBudget[]) =>
      splitByBudgets(pods, budgets)
        .violating.map(({ name }) => name)
        .join();
    assert.equal(violating(), '');
    assert.equal(violating(budget('web', 0)), 'a,b,c');
    assert.equal(violating(budget('web', 2)), 'c');
    assert.equal(violating(budget('web', 0, ['b'])), 'a,c');
    assert.equal(violating(budget('other', 0)), '');
  });

  const candidate = (
    node: string,
    priorities: readonly number[],
    more: { violations?: number; started?: string } = {},
  ): Candidate => ({
    node,
    violations: more.violations ?? 0,
    victims: priorities.map((priority, index) =>
      testPodInfo(`${node}-${index}`, {
        spec: { priority },
        ...(more.started === undefined ? {} : { status: { startTime: more.started } }),
      }),
    ),
  });

  const choices: readonly (readonly [string, readonly Candidate[]])[] = [
    ['the fewest violations', [candidate('no', [1], { violations: 1 }), candidate('yes', [9, 9])]],
    ['the lowest of the highest priorities', [candidate('no', [5]), candidate('yes', [4, 4, 4])]],
    ['the lowest sum of priorities', [candidate('no', [5, 4]), candidate('yes', [5, 3])]],
    ['the fewest pods, also of a negative priority', [candidate('no', [-1, -1]), candidate('yes', [-1])]],
    [
      'the latest start of the most important pods',
      [
        candidate('no', [1], { started: '2026-01-01T00:00:00Z' }),
        candidate('yes', [1], { started: '2026-01-02T00:00:00Z' }),
      ],
    ],
    [
      'the first among equals',
      [
        candidate('yes', [1], { started: '2026-01-01T00:00:00Z' }),
        candidate('no', [1], { started: '2026-01-01T00:00:00Z' }),
      ],
    ],
  ];
  for (const [title, candidates] of choices)
    it(`chooses the node with ${title}`, () => assert.equal(bestCandidate(candidates)?.node, 'yes'));
});
