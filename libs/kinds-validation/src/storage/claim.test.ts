import assert from 'node:assert/strict';
import { updated } from '../common/validation-for.fixture.ts';
import { claimDifference } from './claim.ts';

const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

describe('persistent volume claims', () => {
  it('lets a bound claim grow', () => {
    const sized = (storage: string, phase: string) => ({
      spec: { ...claim, resources: { requests: { storage } } },
      status: { phase, capacity: { storage: '2Gi' } },
    });
    assert.deepEqual(updated('persistentvolumeclaims', sized('3Gi', 'Bound'), sized('2Gi', 'Bound')), []);
    assert.deepEqual(updated('persistentvolumeclaims', sized('1Gi', 'Bound'), sized('2Gi', 'Bound')), [
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ]);
    assert.match(
      updated('persistentvolumeclaims', sized('3Gi', 'Pending'), sized('2Gi', 'Pending'))[0] ?? '',
      /^spec: Forbidden: spec is immutable after creation except resources\.requests/,
    );
  });

  it('tells what a node may not change as kube-apiserver does', () => {
    const pending = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c', namespace: 'ns' },
      spec: claim,
      status: { phase: 'Pending' },
    };
    assert.equal(
      claimDifference(pending, { ...pending, status: { phase: 'Bound' } }),
      [
        '@@ -20,7 +20,7 @@',
        '   "VolumeAttributesClassName": null',
        '  },',
        '  "Status": {',
        '-  "Phase": "Pending",',
        '+  "Phase": "Bound",',
        '   "AccessModes": null,',
        '   "Capacity": null,',
        '   "Conditions": null,',
        '',
      ].join('\n'),
    );
  });
});
