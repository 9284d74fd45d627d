import type { Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const priorityClass = (stage: Stage, name: string, value: number, preemptionPolicy = 'PreemptLowerPriority') =>
  stage.create('scheduling.k8s.io', 'priorityclasses', {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    preemptionPolicy,
  });

/** Three priority classes: low, high, and polite, which preempts nobody. */
async function priorityClasses(stage: Stage): Promise<void> {
  await priorityClass(stage, 'low', -10);
  await priorityClass(stage, 'high', 1000);
  await priorityClass(stage, 'polite', 2000, 'Never');
}

const low = { priorityClassName: 'low' };
const high = { priorityClassName: 'high' };

/** What schedulers do about pods of lower priority. */
export const preemptionScenarios: readonly Scenario[] = [
  {
    name: 'preemption of a pod that ends with grace',
    async run(stage) {
      await priorityClasses(stage);
      await stage.node('n1', { cpu: '1' });
      await stage.pod('victim', { requests: { cpu: '1' }, spec: { ...low, terminationGracePeriodSeconds: 60 } });
      await stage.bound('victim');
      await stage.pod('subject', { requests: { cpu: '1' }, spec: high });
      await stage.nominated('subject');
      await stage.recorded('victim', /Preempted/);
      await stage.recorded('subject', /FailedScheduling/);
      const waiting = await stage.result('subject');
      const victim = await stage.result('victim');
      await stage.remove('', 'pods', 'victim');
      await stage.bound('subject');
      await stage.recorded('subject', / Scheduled /);
      return { waiting, victim, subject: await stage.result('subject') };
    },
  },
  {
    name: 'preemption is not allowed by the policy',
    async run(stage) {
      await priorityClasses(stage);
      await stage.node('n1', { cpu: '1' });
      await stage.pod('victim', { requests: { cpu: '1' }, spec: low });
      await stage.bound('victim');
      await stage.pod('subject', { requests: { cpu: '1' }, spec: { priorityClassName: 'polite' } });
      await stage.rejected('subject');
      await stage.recorded('subject', /FailedScheduling/);
      return { subject: await stage.result('subject') };
    },
  },
  {
    name: 'no victims of lower priority, and a node that is too small',
    async run(stage) {
      await priorityClasses(stage);
      await stage.node('n1', { cpu: '2' });
      await stage.node('n2', { cpu: '1' });
      await stage.pod('equal', { requests: { cpu: '2' }, spec: high });
      await stage.bound('equal');
      await stage.pod('subject', { requests: { cpu: '2' }, spec: high });
      await stage.rejected('subject');
      await stage.recorded('subject', /FailedScheduling/);
      return { subject: await stage.result('subject') };
    },
  },
  {
    name: 'preemption does not help enough',
    async run(stage) {
      await priorityClasses(stage);
      await stage.node('n1', { cpu: '2' });
      await stage.pod('keeper', { requests: { cpu: '1' }, spec: high });
      await stage.bound('keeper');
      await stage.pod('victim', { requests: { cpu: '500m' }, spec: low });
      await stage.bound('victim');
      await stage.pod('subject', { requests: { cpu: '1500m' }, spec: high });
      await stage.rejected('subject');
      await stage.recorded('subject', /FailedScheduling/);
      return { subject: await stage.result('subject'), victim: await stage.result('victim') };
    },
  },
  {
    name: 'the node where a disruption budget is not violated',
    async run(stage) {
      await priorityClasses(stage);
      await stage.node('n1', { cpu: '1' });
      await stage.node('n2', { cpu: '1' });
      await stage.create('policy', 'poddisruptionbudgets', {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'guard', namespace: stage.namespace },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
        status: { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 },
      });
      const on = (name: string) => ({
        ...low,
        terminationGracePeriodSeconds: 60,
        nodeSelector: { 'kubernetes.io/hostname': name },
      });
      await stage.pod('guarded', { labels: { app: 'guarded' }, requests: { cpu: '1' }, spec: on('n1') });
      await stage.bound('guarded');
      await stage.pod('free', { labels: { app: 'free' }, requests: { cpu: '1' }, spec: on('n2') });
      await stage.bound('free');
      await stage.pod('subject', { requests: { cpu: '1' }, spec: high });
      await stage.nominated('subject');
      await stage.recorded('free', /Preempted/);
      await stage.recorded('subject', /FailedScheduling/);
      return {
        subject: await stage.result('subject'),
        guarded: await stage.result('guarded'),
        free: await stage.result('free'),
      };
    },
  },
  {
    name: 'only as many victims as needed, the least important ones',
    async run(stage) {
      await priorityClasses(stage);
      await stage.node('n1', { cpu: '2' });
      await priorityClass(stage, 'lowest', -100);
      const graceful = { terminationGracePeriodSeconds: 60 };
      await stage.pod('low', { requests: { cpu: '1' }, spec: { ...low, ...graceful } });
      await stage.bound('low');
      await stage.pod('lowest', { requests: { cpu: '1' }, spec: { priorityClassName: 'lowest', ...graceful } });
      await stage.bound('lowest');
      await stage.pod('subject', { requests: { cpu: '1' }, spec: high });
      await stage.nominated('subject');
      await stage.recorded('lowest', /Preempted/);
      await stage.recorded('subject', /FailedScheduling/);
      return {
        subject: await stage.result('subject'),
        low: await stage.result('low'),
        lowest: await stage.result('lowest'),
      };
    },
  },
  {
    name: 'a less important pod does not take the place of a nominated one',
    async run(stage) {
      await priorityClasses(stage);
      await stage.node('n1', { cpu: '1' });
      await stage.pod('victim', { requests: { cpu: '1' }, spec: { ...low, terminationGracePeriodSeconds: 60 } });
      await stage.bound('victim');
      await stage.pod('subject', { requests: { cpu: '1' }, spec: high });
      await stage.nominated('subject');
      await stage.recorded('victim', /Preempted/);
      await stage.pod('other', { requests: { cpu: '100m' } });
      await stage.rejected('other');
      await stage.remove('', 'pods', 'victim');
      await stage.bound('subject');
      return { subject: await stage.result('subject'), other: await stage.result('other') };
    },
  },
];
