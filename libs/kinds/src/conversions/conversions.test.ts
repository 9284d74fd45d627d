import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { record } from '../fields.ts';
import { convertFromHub, convertToHub, storageVersion } from './hub.ts';

describe('conversions', () => {
  it('round-trip an autoscaling/v2 autoscaler through v1', () => {
    const hub = { group: 'autoscaling', version: 'v2' };
    const v2: KubeObject = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'x', annotations: { mine: 'kept' } },
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        maxReplicas: 3,
        metrics: [
          { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '5' } } },
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
        ],
        behavior: {
          scaleUp: { stabilizationWindowSeconds: 5, policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }] },
        },
      },
      status: { desiredReplicas: 2, currentMetrics: null },
    };
    const v1 = convertFromHub(structuredClone(v2), { group: 'autoscaling', version: 'v1' });
    assert.equal(v1.apiVersion, 'autoscaling/v1');
    assert.deepEqual(v1.spec, {
      scaleTargetRef: { kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 70,
    });
    const annotations = Object.keys(v1.metadata.annotations ?? {});
    assert.deepEqual(annotations, annotations.toSorted());
    assert.ok(annotations.length > 1);
    assert.deepEqual(convertToHub(v1, hub), v2);
  });

  it('write metrics of pods to the annotation in the order of v1', () => {
    const target = { type: 'AverageValue', averageValue: '5' };
    const v1 = convertFromHub(
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'x' },
        spec: { metrics: [{ type: 'Pods', pods: { metric: { name: '<m>', selector: {} }, target } }] },
      },
      { group: 'autoscaling', version: 'v1' },
    );
    assert.equal(
      v1.metadata.annotations?.['autoscaling.alpha.kubernetes.io/metrics'],
      '[{"type":"Pods","pods":{"metricName":"\\u003cm\\u003e","targetAverageValue":"5","selector":{}}}]',
    );
  });

  it('write annotations where they are among the members of metadata', () => {
    const v1 = convertFromHub(
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'x', labels: {}, finalizers: ['a/b'], managedFields: [] },
        status: { conditions: [{ type: 'AbleToScale', status: 'True' }] },
      },
      { group: 'autoscaling', version: 'v1' },
    );
    assert.deepEqual(Object.keys(v1.metadata), ['name', 'labels', 'annotations', 'finalizers', 'managedFields']);
  });

  it('read annotations of v1 as Go does', () => {
    const hub = { group: 'autoscaling', version: 'v2' };
    const spec = (name: string, value: unknown): Record<string, unknown> => {
      const annotations = { [`autoscaling.alpha.kubernetes.io/${name}`]: JSON.stringify(value) };
      const v1 = {
        apiVersion: 'autoscaling/v1',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'x', annotations },
      };
      return record(convertToHub({ ...v1, spec: { maxReplicas: 3 } }, hub).spec);
    };
    const cpu = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } };
    const byDefault = [{ type: 'Resource', resource: cpu }];
    for (const misfit of ['x', {}, [{ type: 5 }], [{ pods: { targetAverageValue: 'much' } }]]) {
      assert.deepEqual(spec('metrics', misfit).metrics, byDefault);
    }
    assert.deepEqual(spec('metrics', [null, { type: 'Pods' }, { TYPE: 'X', Pods: { metricname: 'm' } }]).metrics, [
      { type: '' },
      { type: 'Pods' },
      { type: 'X', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '0' } } },
    ]);
    const average = { type: 'AverageValue', averageValue: '1' };
    const target = { kind: 'Service', name: 's' };
    const object = { target, metricName: 'o', targetValue: '0', averageValue: '1' };
    assert.deepEqual(spec('metrics', [{ type: 'Object', object }]).metrics, [
      { type: 'Object', object: { describedObject: target, metric: { name: 'o' }, target: average } },
    ]);
    assert.equal(spec('behavior', {}).behavior, undefined);
    assert.equal(spec('behavior', { ScaleUp: 1 }).behavior, undefined);
    assert.deepEqual(spec('behavior', { scaleup: { Policies: [], selectPolicy: 'Max' } }).behavior, {
      scaleUp: { selectPolicy: 'Max', policies: [] },
    });
  });

  it('keep the cpu utilization of a v1 status', () => {
    const v1: KubeObject = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'x' },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3 },
      status: { currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 30 },
    };
    const hub = convertToHub(structuredClone(v1), { group: 'autoscaling', version: 'v2' });
    assert.deepEqual(hub.status, {
      currentReplicas: 1,
      desiredReplicas: 2,
      currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 30 } } }],
    });
    assert.deepEqual(convertFromHub(hub, { group: 'autoscaling', version: 'v1' }).status, v1.status);
  });

  it('rename the fields of events between their two groups', () => {
    const hub = { group: '', version: 'v1' };
    const event: KubeObject = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'e' },
      regarding: { kind: 'Pod', name: 'p' },
      note: 'text',
      reportingController: 'c',
    };
    const core = convertToHub(structuredClone(event), hub);
    assert.equal(core.apiVersion, 'v1');
    assert.equal(core.message, 'text');
    assert.deepEqual(core.involvedObject, { kind: 'Pod', name: 'p' });
    const back = convertFromHub(core, { group: 'events.k8s.io', version: 'v1' });
    assert.equal(back.note, 'text');
    assert.equal(back.reportingController, 'c');
    assert.equal(back.message, undefined);
  });

  it('list resources with another storage version than the first stable one', () => {
    assert.deepEqual(storageVersion('autoscaling', 'horizontalpodautoscalers'), {
      group: 'autoscaling',
      version: 'v2',
    });
    assert.deepEqual(storageVersion('events.k8s.io', 'events'), { group: '', version: 'v1' });
    assert.deepEqual(storageVersion('apps', 'deployments'), { group: 'apps', version: 'v1' });
  });
});
