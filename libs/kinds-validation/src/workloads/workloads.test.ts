import { strict as assert } from 'node:assert';
import type { FieldError, KubeObject } from '@apichain/meta';
import { lines, object, template } from '../common/errors.fixture.ts';
import * as controllers from './controllers.ts';
import { scheduleError } from '@apichain/go-text';
import { defaultCapabilities } from '../pod/context.ts';
import { validateCronJob } from './cronjob.ts';
import { validateDaemonSet } from './daemonset.ts';
import { validateAutoscaler } from './hpa.ts';
import { firstOverlap, parseIndexes } from './indexes.ts';
import { validateJob, validateJobUpdate } from './job.ts';
import { validateJobStatus } from './job-status.ts';
import { validateDisruptionBudget } from './pdb.ts';
import { validationFor } from '../common/validation-for.fixture.ts';
import { validateStatefulSet, validateStatefulSetUpdate } from './statefulset.ts';

/** Runs all checks for updates of the spec. */
const validateUpdate = (resource: string, changed: KubeObject, old: KubeObject): FieldError[] =>
  validationFor(resource).update?.(changed, old, defaultCapabilities) ?? [];

const selector = { matchLabels: { app: 'a' } };

describe('controllers', () => {
  const deployment = (rest: Record<string, unknown>) =>
    object('Deployment', 'x', {
      spec: { replicas: 1, selector, template: template(), strategy: { type: 'Recreate' }, ...rest },
    });

  it('wants a selector that selects the template', () => {
    assert.deepEqual(lines(controllers.validateDeployment(deployment({}), undefined, defaultCapabilities)), []);
    assert.deepEqual(
      lines(controllers.validateDeployment(deployment({ selector: null }), undefined, defaultCapabilities)),
      [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      ],
    );
    assert.deepEqual(
      lines(controllers.validateDeployment(deployment({ selector: {} }), undefined, defaultCapabilities)),
      ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    );
  });
  it('keeps the selector', () => {
    const other = deployment({ selector: { matchLabels: { app: 'a', b: 'c' } } });
    assert.equal(
      lines(controllers.validateDeploymentUpdate(other, deployment({}), defaultCapabilities)).at(-1),
      'spec.selector: Invalid value: {"matchLabels":{"app":"a","b":"c"}}: field is immutable',
    );
  });
  it('compares the counters of a status', () => {
    const status = { replicas: 1, readyReplicas: 2 };
    const object = { ...deployment({}), status };
    assert.deepEqual(lines(controllers.validateDeploymentStatus(object, deployment({}))), [
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    ]);
  });
  it('checks the rollout of a DaemonSet', () => {
    const set = (rollingUpdate: Record<string, unknown>) =>
      object('DaemonSet', 'x', {
        spec: { selector, template: template(), updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
      });
    assert.deepEqual(
      lines(validateDaemonSet(set({ maxUnavailable: 1, maxSurge: '10%' }), undefined, defaultCapabilities)),
      [
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "10%": may not be set when maxUnavailable is non-zero',
      ],
    );
    assert.deepEqual(
      lines(validateDaemonSet(set({ maxUnavailable: 1, maxSurge: '5' }), undefined, defaultCapabilities)),
      [
        `spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "5": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "5": may not be set when maxUnavailable is non-zero',
      ],
    );
  });
  it('checks a changed ReplicaSet or DaemonSet once', () => {
    for (const [resource, kind] of [
      ['replicasets.apps', 'ReplicaSet'],
      ['daemonsets.apps', 'DaemonSet'],
    ] as const) {
      const strategy = { updateStrategy: { type: 'OnDelete' } };
      const set = object(kind, 'x', { spec: { selector, template: template(), minReadySeconds: -1, ...strategy } });
      assert.deepEqual(lines(validateUpdate(resource, set, set)), [
        'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
      ]);
    }
  });
  it('gives a StatefulSet one volume for all claims of one name', () => {
    const claim = {
      metadata: { name: 'v' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const spec = {
      selector,
      template: template(),
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate' },
      volumeClaimTemplates: [claim, claim],
    };
    assert.deepEqual(
      lines(validateStatefulSet(object('StatefulSet', 'x', { spec }), undefined, defaultCapabilities)),
      [],
    );
  });
  it('lets a StatefulSet change few fields', () => {
    const set = (rest: Record<string, unknown>) =>
      object('StatefulSet', 'x', {
        spec: {
          selector,
          template: template(),
          podManagementPolicy: 'OrderedReady',
          updateStrategy: { type: 'RollingUpdate' },
          ...rest,
        },
      });
    assert.deepEqual(
      lines(validateStatefulSet(set({ updateStrategy: { type: 'X' } }), undefined, defaultCapabilities)),
      [`spec.updateStrategy: Invalid value: {"Type":"X","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`],
    );
    assert.match(
      lines(validateStatefulSetUpdate(set({ serviceName: 's' }), set({}), defaultCapabilities))[0] ?? '',
      /^spec: Forbidden: updates to/,
    );
  });
});

describe('batch', () => {
  const job = (rest: Record<string, unknown>, status: Record<string, unknown> = {}) =>
    object('Job', 'x', {
      spec: { manualSelector: true, selector, template: template({ restartPolicy: 'Never' }), ...rest },
      status,
    });

  it('checks jobs', () => {
    assert.deepEqual(lines(validateJob(job({}), undefined, defaultCapabilities)), []);
    assert.deepEqual(lines(validateJob(job({ template: template() }), undefined, defaultCapabilities)), [
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ]);
    assert.deepEqual(
      lines(validateJob(job({ completionMode: 'Indexed', maxFailedIndexes: 1 }), undefined, defaultCapabilities)),
      [
        'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
        'spec.completions: Required value: when completion mode is Indexed',
      ],
    );
  });
  it('keeps the template of a job, but for one that waits', () => {
    const other = template({ restartPolicy: 'Never', nodeSelector: { a: 'b' } });
    assert.match(
      lines(validateJobUpdate(job({ template: other }), job({}), defaultCapabilities))[0] ?? '',
      /^spec\.template: Invalid value: \{"labels"/,
    );
    assert.deepEqual(
      lines(validateJobUpdate(job({ template: other, suspend: true }), job({ suspend: true }), defaultCapabilities)),
      [],
    );
    const later = template({ restartPolicy: 'Never', nodeSelector: { a: 'b' }, hostname: 'h' });
    assert.match(
      lines(
        validateJobUpdate(job({ template: later, suspend: true }), job({ suspend: true }), defaultCapabilities),
      )[0] ?? '',
      /^spec\.template\.spec: Invalid value: \{"Volumes".*"NodeSelector":\{"a":"b"\}.*"Hostname":"h".*: field is immutable$/,
    );
  });
  it('checks what becomes of a job', () => {
    const complete = { conditions: [{ type: 'Complete', status: 'True' }], active: 1 };
    assert.deepEqual(lines(validateJobStatus(job({}, complete), job({}))), [
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.active: Invalid value: 1: active>0 is invalid for finished job',
      'status.startTime: Required value: startTime is required for finished job',
    ]);
  });
  it('looks at the parts of the status of a job that change', () => {
    const indexed = { completionMode: 'Indexed', completions: 3, backoffLimitPerIndex: 1 };
    const stored = job(indexed, { active: 1, ready: 3, completedIndexes: '0-9' });
    assert.deepEqual(lines(validateJobStatus(stored, stored)), []);
    const failing = { active: 1, ready: 3, completedIndexes: '0-9,1', failedIndexes: '1-x,1' };
    assert.deepEqual(lines(validateJobStatus(job(indexed, failing), stored)), [
      'status.completedIndexes: Invalid value: "0-9,1": error parsing completedIndexes: too large index: "9"',
      'status.failedIndexes: Invalid value: "1-x,1": error parsing failedIndexes: cannot convert string to integer for index: "x"',
      'status.failedIndexes: Invalid value: "1-x,1": failedIndexes and completedIndexes overlap at index: 1',
    ]);
    const finished = { conditions: [{ type: 'Failed', status: 'True' }], uncountedTerminatedPods: { failed: ['a'] } };
    assert.deepEqual(lines(validateJobStatus(job(indexed, { ...finished, terminating: 1 }), job(indexed, finished))), [
      'status.terminating: Invalid value: 1: terminating>0 is invalid for finished job',
    ]);
  });
  it('counts indexes that do not read as none', () => {
    const successPolicy = { rules: [{ succeededIndexes: '9', succeededCount: 1 }] };
    assert.deepEqual(
      lines(
        validateJob(job({ completionMode: 'Indexed', completions: 3, successPolicy }), undefined, defaultCapabilities),
      ),
      [
        'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "9": error parsing succeededIndexes: too large index: "9"',
        'spec.successPolicy.rules[0].succeededCount: Invalid value: 1: must be less than or equal to 0 (the number of indexes in the specified succeededIndexes field)',
      ],
    );
  });
  it('reads indexes', () => {
    assert.deepEqual(parseIndexes('0,2-4', 5), [
      { first: 0, last: 0 },
      { first: 2, last: 4 },
    ]);
    assert.equal(parseIndexes('1,0', 5), 'non-increasing order, previous: 1, current: 0');
    assert.equal(parseIndexes('9', 5), 'too large index: "9"');
    assert.equal(firstOverlap('0-3', '2-9', 10), 2);
  });
  it('reads schedules', () => {
    for (const schedule of ['*/5 * * * *', '@hourly', '@every 1h', '0 0 ? jan-MAR mon,fri', 'TZ=UTC 0 0 * * *']) {
      assert.equal(scheduleError(schedule), undefined, schedule);
    }
    assert.equal(scheduleError('every day'), 'expected exactly 5 fields, found 2: [every day]');
    assert.equal(scheduleError('61 * * * *'), 'end of range (61) above maximum (59): 61');
    assert.equal(scheduleError('5-1 * * * *'), 'beginning of range (5) beyond end of range (1): 5-1');
    assert.equal(scheduleError('*/0 * * * *'), 'step of range should be a positive number: */0');
    assert.equal(scheduleError('@never'), 'unrecognized descriptor: @never');
    assert.equal(scheduleError('a * * * *'), 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax');
  });
  it('checks CronJobs', () => {
    const cronJob = (rest: Record<string, unknown>) =>
      object('CronJob', 'x', {
        spec: {
          schedule: '* * * * *',
          concurrencyPolicy: 'Allow',
          jobTemplate: { spec: { template: template({ restartPolicy: 'Never' }) } },
          ...rest,
        },
      });
    assert.deepEqual(
      lines(validateCronJob(cronJob({ timeZone: 'Europe/Berlin' }), undefined, defaultCapabilities)),
      [],
    );
    assert.deepEqual(lines(validateCronJob(cronJob({ timeZone: 'US/Eastern' }), undefined, defaultCapabilities)), []);
    for (const timeZone of ['europe/berlin', '+01']) {
      assert.deepEqual(lines(validateCronJob(cronJob({ timeZone }), undefined, defaultCapabilities)), [
        `spec.timeZone: Invalid value: "${timeZone}": unknown time zone ${timeZone}`,
      ]);
    }
    assert.deepEqual(lines(validateCronJob(cronJob({ timeZone: 'a..b' }), undefined, defaultCapabilities)), [
      'spec.timeZone: Invalid value: "a..b": time: invalid location name',
    ]);
    assert.deepEqual(lines(validateCronJob(cronJob({ timeZone: 'Mars/Base' }), undefined, defaultCapabilities)), [
      'spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base',
    ]);
  });
});

describe('autoscaling and disruption', () => {
  it('checks metrics', () => {
    const spec = (metric: Record<string, unknown>) => ({
      maxReplicas: 3,
      minReplicas: 1,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      metrics: [metric],
    });
    const errors = (metric: Record<string, unknown>) =>
      lines(validateAutoscaler(object('HorizontalPodAutoscaler', 'x', { spec: spec(metric) })));
    assert.deepEqual(errors({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }), [
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ]);
    assert.deepEqual(errors({ type: 'Pods' }), [
      'spec.metrics[0].pods: Required value: must populate information for the given metric source',
    ]);
    const type = (value: string) =>
      `spec.metrics[0].type: Unsupported value: "${value}": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"`;
    const pods = { metric: { name: 'm' }, target: { type: 'AverageValue' } };
    assert.deepEqual(errors({ type: 'X', pods }), [
      type('X'),
      'spec.metrics[0].pods.target.averageValue: Required value: must specify a positive target averageValue',
      type('X'),
    ]);
    assert.deepEqual(
      errors({ type: 'Resource', pods: { ...pods, target: { type: 'AverageValue', averageValue: '1' } } }),
      ['spec.metrics[0].resource: Required value: must populate information for the given metric source'],
    );
  });
  it('prints a budget that says two things', () => {
    const budget = object('PodDisruptionBudget', 'x', { spec: { minAvailable: 2, maxUnavailable: '200%' } });
    assert.deepEqual(lines(validateDisruptionBudget(budget)), [
      'spec: Invalid value: {"MinAvailable":2,"Selector":null,"MaxUnavailable":"200%","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
      'spec.maxUnavailable: Invalid value: "200%": must not be greater than 100%',
    ]);
  });
});
