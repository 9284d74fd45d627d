import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { behaviourOf } from './table.ts';

describe('autoscalers', () => {
  it('are stored with the scaling rules of v2, if they have any', () => {
    const { canonicalize } = behaviourOf('autoscaling', 'horizontalpodautoscalers').hooks ?? {};
    const stored = (spec: object): unknown => {
      const hpa: KubeObject = { apiVersion: 'autoscaling/v2', kind: '', metadata: { name: 'x' }, spec };
      canonicalize?.(hpa);
      return hpa.spec;
    };
    assert.deepEqual(stored({ maxReplicas: 3 }), { maxReplicas: 3 });
    const policies = [{ type: 'Pods', value: 4, periodSeconds: 15 }];
    assert.deepEqual(stored({ behavior: { scaleUp: { policies } } }), {
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies },
        scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
      },
    });
  });
});
