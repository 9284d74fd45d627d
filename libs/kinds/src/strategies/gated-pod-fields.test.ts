import assert from 'node:assert/strict';
import { dropGatedPodFields, dropGatedPodStatusFields } from './gated-pod-fields.ts';

const spec = () => ({
  schedulingGroup: { podGroupName: 'g' },
  containers: [{ name: 'c', lifecycle: { stopSignal: 'SIGKILL' } }],
  volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'p' } }, { secret: { name: 's' } }] } }],
});

describe('dropGatedPodFields', () => {
  it('takes away what new pods may not use', () => {
    const pod = spec();
    dropGatedPodFields(pod, {});
    assert.deepEqual(pod, {
      containers: [{ name: 'c' }],
      volumes: [{ name: 'v', projected: { sources: [{}, { secret: { name: 's' } }] } }],
    });
  });

  it('leaves what else becomes of a container', () => {
    const preStop = { sleep: { seconds: 1 } };
    const pod = { containers: [{ lifecycle: { stopSignal: 'SIGKILL', preStop } }, { lifecycle: {} }] };
    dropGatedPodFields(pod, {});
    assert.deepEqual(pod, { containers: [{ lifecycle: { preStop } }, { lifecycle: {} }] });
  });

  it('leaves what the stored pod uses', () => {
    const pod = spec();
    dropGatedPodFields(pod, spec());
    assert.deepEqual(pod, spec());
  });
});

describe('dropGatedPodStatusFields', () => {
  it('takes away what nodes may not report, though not the signal that stopped a container', () => {
    const status = {
      nodeAllocatableResourceClaimStatuses: [{}],
      containerStatuses: [{ name: 'c', stopSignal: 'SIGKILL', volumeMounts: [{ name: 'v', volumeStatus: {} }] }],
    };
    dropGatedPodStatusFields(status, {});
    assert.deepEqual(status, {
      containerStatuses: [{ name: 'c', stopSignal: 'SIGKILL', volumeMounts: [{ name: 'v' }] }],
    });
  });
});
