import assert from 'node:assert/strict';
import { heldClaims, keepClaims } from './storage-protection.ts';

describe('the claims a pod holds', () => {
  const pod = (nodeName?: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n' },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'c' } },
        { name: 'scratch', ephemeral: {} },
        { name: 'empty', emptyDir: {} },
      ],
    },
  });
  it('are the named ones and those of its ephemeral volumes', () => {
    assert.deepEqual(heldClaims(pod('node')), ['n/c', 'n/p-scratch']);
  });
  it('are the same in what is kept of it', () => {
    const kept = keepClaims(pod('node'));
    assert.deepEqual(heldClaims(kept), ['n/c', 'n/p-scratch']);
    assert.deepEqual(
      kept.spec?.volumes?.map(({ name }) => name),
      ['data', 'scratch'],
    );
  });
  it('are none before it is scheduled', () => {
    assert.deepEqual(heldClaims(pod()), []);
  });
});
