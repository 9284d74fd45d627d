import assert from 'node:assert/strict';
import type { Pod } from '@apichain/api/core/v1';
import { byClaim } from '../volumes/pod-claims.ts';
import { claimFor, hasEphemeralVolumes } from './controller.ts';

const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const scratch = { name: 'scratch', ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec } } };
const data = { name: 'data', persistentVolumeClaim: { claimName: 'db' } };
const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ns', name: 'p', uid: 'uid-p' },
  spec: { volumes: [{ name: 'config', configMap: { name: 'c' } }, data, scratch] },
};

describe('the claim of an ephemeral volume', () => {
  it('has the name and the owner of the pod, and what the template says', () => {
    assert.deepEqual(claimFor(pod, scratch), {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: 'p-scratch',
        labels: { a: 'b' },
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-p', controller: true, blockOwnerDeletion: true },
        ],
      },
      spec,
    });
  });

  it('is found like the claims that pods name', () => {
    assert.deepEqual(byClaim(pod), ['ns/db', 'ns/p-scratch']);
    assert.equal(hasEphemeralVolumes(pod), true);
    assert.equal(hasEphemeralVolumes({ ...pod, spec: { volumes: [data] } }), false);
  });
});
