import assert from 'node:assert/strict';
import { record } from '@apichain/kinds';
import { builtinGroupVersions } from '@apichain/kinds';
import { versionOf } from './served-version.ts';

describe('served versions', () => {
  it('refuse annotations with invalid numbers', () => {
    const decode = (plural: string, annotations: Record<string, string>) => {
      const hub = { group: 'apps', version: 'v1' };
      const apps = builtinGroupVersions.find((gv) => gv.group === 'apps');
      const resource = apps?.resources.find(({ info }) => info.plural === plural);
      assert.ok(resource);
      const { codec } = versionOf(resource, hub, { namespaceScoped: true, validateName: () => [] } as never);
      return codec.decode({ metadata: { name: 'x', annotations } }).object.metadata.annotations;
    };
    const rollback = 'deprecated.deployment.rollback.to';
    assert.deepEqual(decode('deployments', { [rollback]: '3' }), { [rollback]: '3' });
    assert.throws(() => decode('deployments', { [rollback]: 'x' }), {
      message: `failed to parse annotation[${rollback}]=x as int64: strconv.ParseInt: parsing "x": invalid syntax`,
    });
    const counter = 'deprecated.daemonset.template.generation';
    assert.deepEqual(decode('daemonsets', {}), { [counter]: '0' });
    assert.throws(() => decode('daemonsets', { [counter]: '9223372036854775808' }), {
      message: 'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    });
  });

  it('write annotations for fields of an autoscaler as the conversion does', async () => {
    const gv = builtinGroupVersions.find(({ group, version }) => group === 'autoscaling' && version === 'v1');
    const resource = gv?.resources.find(({ info }) => info.plural === 'horizontalpodautoscalers');
    assert.ok(resource);
    const hub = { group: 'autoscaling', version: 'v2' };
    const { codec } = versionOf(resource, hub, { namespaceScoped: true, validateName: () => [] } as never);
    const annotation = (name: string) => `autoscaling.alpha.kubernetes.io/${name}`;
    const annotations = { [annotation('metrics')]: 'x', [annotation('behavior')]: '{}', mine: 'kept' };
    const status = { currentCPUUtilizationPercentage: 7 };
    const { object } = codec.decode({ metadata: { name: 'x', annotations }, spec: { maxReplicas: 3 }, status });
    assert.deepEqual(object.metadata.annotations, {
      mine: 'kept',
      [annotation('current-metrics')]:
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":7,"currentAverageValue":"0"}}]',
    });
    const converted = await codec.convert(object, 'autoscaling/v2');
    assert.deepEqual(record(converted.status).currentMetrics, [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 7 } } },
    ]);
  });

  it('list the annotations that are not metadata', () => {
    const carried = (group: string, version: string, plural: string) => {
      const gv = builtinGroupVersions.find((other) => other.group === group && other.version === version);
      const resource = gv?.resources.find(({ info }) => info.plural === plural);
      assert.ok(resource);
      const hub = { group, version: group === 'autoscaling' ? 'v2' : 'v1' };
      return versionOf(resource, hub, { namespaceScoped: true, validateName: () => [] } as never).codec
        .carriedAnnotations;
    };
    assert.deepEqual(carried('apps', 'v1', 'daemonsets'), ['deprecated.daemonset.template.generation']);
    assert.deepEqual(carried('apps', 'v1', 'deployments'), ['deprecated.deployment.rollback.to']);
    assert.equal(carried('apps', 'v1', 'replicasets'), undefined);
    assert.ok(
      carried('autoscaling', 'v1', 'horizontalpodautoscalers')?.includes('autoscaling.alpha.kubernetes.io/metrics'),
    );
    assert.equal(carried('autoscaling', 'v2', 'horizontalpodautoscalers'), undefined);
  });
});
