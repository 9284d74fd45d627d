import assert from 'node:assert/strict';
import type { RequestContext } from '@apichain/request';
import type { KubeObject } from '@apichain/meta';
import { priorityClassBehaviour } from './small-kinds.ts';

describe('system priority classes', () => {
  it('are not deleted by name, only with the collection', () => {
    const priorityClass: KubeObject = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'system-node-critical' },
    };
    const ask = (verb: string) => () =>
      priorityClassBehaviour.hooks?.validateDelete?.({ requestInfo: { verb } } as RequestContext, priorityClass);
    assert.throws(ask('delete'), /this is a system priority class and cannot be deleted$/);
    assert.doesNotThrow(ask('deletecollection'));
  });
});
