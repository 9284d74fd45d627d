import assert from 'node:assert/strict';
import { keepClaims } from './storage-protection.ts';

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
    assert.deepEqual(keepClaims(pod('node'))['spec'], { claims: ['c', 'p-scratch'] });
  });
  it('are none before it is scheduled', () => {
    assert.deepEqual(keepClaims(pod())['spec'], { claims: [] });
  });
});
