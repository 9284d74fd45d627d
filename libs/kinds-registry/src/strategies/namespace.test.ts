import assert from 'node:assert/strict';
import type { GracefulDeleteOptions } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import type { KubeObject } from '@apichain/meta';
import { namespaceBehaviour } from './namespace.ts';

const ctx = {} as RequestContext;

describe('the first delete of a namespace', () => {
  const finalizersAfter = (options: GracefulDeleteOptions, finalizers?: string[]): string[] | undefined => {
    const metadata = finalizers === undefined ? { name: 'x' } : { name: 'x', finalizers };
    const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata };
    assert.equal(namespaceBehaviour.hooks?.beginDelete?.(ctx, namespace, options), 'mark');
    return namespace.metadata.finalizers;
  };

  it('sets the finalizers of its options', () => {
    assert.equal(finalizersAfter({}), undefined);
    assert.deepEqual(finalizersAfter({ propagationPolicy: 'Foreground' }, ['a.b/c']), ['a.b/c', 'foregroundDeletion']);
    assert.deepEqual(finalizersAfter({ propagationPolicy: 'Orphan' }), ['orphan']);
    assert.deepEqual(finalizersAfter({ orphanDependents: true }), ['orphan']);
    assert.deepEqual(finalizersAfter({ orphanDependents: false }), ['foregroundDeletion']);
  });

  it('removes finalizers that its options exclude, and keeps them without options', () => {
    assert.deepEqual(finalizersAfter({}, ['orphan']), ['orphan']);
    assert.equal(finalizersAfter({ propagationPolicy: 'Background' }, ['orphan', 'foregroundDeletion']), undefined);
    assert.deepEqual(finalizersAfter({ propagationPolicy: 'Orphan' }, ['foregroundDeletion']), ['orphan']);
  });
});
