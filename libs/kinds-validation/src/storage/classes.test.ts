import assert from 'node:assert/strict';
import { lines, object } from '../common/errors.fixture.ts';
import { created, updated, validationFor } from '../common/validation-for.fixture.ts';
import { defaultCapabilities } from '../pod/context.ts';

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('classes, drivers and attachments of storage', () => {
  it('checks classes and drivers', () => {
    assert.deepEqual(created('storageclasses.storage.k8s.io', { volumeBindingMode: 'X' }), [
      'provisioner: Required value',
      'volumeBindingMode: Unsupported value: "X": supported values: "Immediate", "WaitForFirstConsumer"',
    ]);
    assert.deepEqual(
      created('csinodes.storage.k8s.io', {
        spec: {
          drivers: [
            { name: 'd', nodeID: '' },
            { name: 'd', nodeID: 'n' },
          ],
        },
      }),
      ['spec.drivers[0].nodeID: Required value', 'spec.drivers[1].name: Duplicate value: "d"'],
    );
  });

  it('compares topologies by the last expression of each key', () => {
    const once = { key: 'k', values: ['w', 'v'] };
    const allowedTopologies = [
      { matchLabelExpressions: [once] },
      {
        matchLabelExpressions: [
          { key: 'k', values: ['x'] },
          { ...once, values: ['v', 'w'] },
        ],
      },
    ];
    assert.deepEqual(
      created('storageclasses.storage.k8s.io', { provisioner: 'p', volumeBindingMode: 'Immediate', allowedTopologies }),
      [
        'allowedTopologies[1].matchLabelExpressions[1].key: Duplicate value: "k"',
        'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
      ],
    );
  });

  it('counts an empty topology as one that was there before', () => {
    const fields = (allowedTopologies: unknown[]) =>
      created('storageclasses.storage.k8s.io', { provisioner: 'a', volumeBindingMode: 'Immediate', allowedTopologies });
    const duplicate = (i: number) => `allowedTopologies[${i}].matchLabelExpressions: Duplicate value: ""`;
    assert.deepEqual(fields([{}]), [duplicate(0)]);
    assert.deepEqual(fields([{}, {}]), [duplicate(0), duplicate(0), duplicate(1), duplicate(1), duplicate(1)]);
    assert.deepEqual(fields([{ matchLabelExpressions: [{ key: 'a', values: ['b'] }] }]), []);
  });

  it('checks a changed class like a new one, then what may not change', () => {
    const storage = { provisioner: 'p', volumeBindingMode: 'Immediate', reclaimPolicy: 'Delete' };
    assert.deepEqual(updated('storageclasses.storage.k8s.io', { ...storage, reclaimPolicy: 'X' }, storage), [
      'reclaimPolicy: Unsupported value: "X": supported values: "Delete", "Retain"',
      'reclaimPolicy: Invalid value: "X": field is immutable',
    ]);
  });

  it('checks what may not change of attributes, then the rest', () => {
    const attributes = { driverName: 'd', parameters: { a: 'b' } };
    assert.deepEqual(updated('volumeattributesclasses.storage.k8s.io', { driverName: 'd' }, attributes), [
      'parameters: Forbidden: updates to parameters are forbidden.',
      'parameters: Required value: must contain at least one key/value pair',
    ]);
  });

  it('keeps the topology of a storage capacity, an empty one too', () => {
    assert.deepEqual(
      updated(
        'csistoragecapacities.storage.k8s.io',
        { storageClassName: 'a', nodeTopology: {} },
        { storageClassName: 'a' },
      ),
      ['nodeTopology: Invalid value: {}: field is immutable'],
    );
  });

  it('checks a capacity once, and takes any size of one volume', () => {
    const errors = created('csistoragecapacities.storage.k8s.io', {
      storageClassName: 'a',
      maximumVolumeSize: '-1',
      capacity: '-1',
    });
    assert.deepEqual(errors, ['capacity: Invalid value: "-1": must be greater than or equal to 0']);
  });

  it('checks the status of an attachment', () => {
    const attachment = object('VolumeAttachment', 'x', {
      spec: { attacher: 'a.b', nodeName: 'n', source: { persistentVolumeName: 'v' } },
      status: { attached: false, attachError: { errorCode: -1 } },
    });
    const check = validationFor('volumeattachments.storage.k8s.io').subresources?.status;
    const line = 'status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive';
    assert.deepEqual(lines(check?.(attachment, attachment, defaultCapabilities) ?? []), [line]);
  });

  it('checks one source of an attachment, and the name of a volume last', () => {
    const errors = (source: Record<string, unknown>) =>
      created('volumeattachments.storage.k8s.io', { spec: { attacher: 'a.b', nodeName: 'n', source } });
    assert.deepEqual(errors({ persistentVolumeName: '' }), [
      'spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName',
      `spec.source.persistentVolumeName: Invalid value: "": ${subdomain}`,
    ]);
    assert.deepEqual(errors({ persistentVolumeName: 'a', inlineVolumeSpec: { capacity: { storage: '1' } } }), [
      'spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    ]);
  });

  it('shows each changed driver of a node on its own, without what may change', () => {
    const driver = { name: 'd', nodeID: 'n', topologyKeys: ['a'], allocatable: { count: 1 } };
    const drivers = [{ ...driver, nodeID: 'm' }];
    assert.deepEqual(updated('csinodes.storage.k8s.io', { spec: { drivers } }, { spec: { drivers: [driver] } }), [
      'spec.drivers: Invalid value: {"Name":"d","NodeID":"m","TopologyKeys":["a"],"Allocatable":null}: field is immutable',
    ]);
  });

  it('takes a driver with a name of any length', () => {
    const spec = {
      attachRequired: true,
      podInfoOnMount: true,
      storageCapacity: true,
      fsGroupPolicy: 'File',
      seLinuxMount: true,
    };
    assert.deepEqual(created('csidrivers.storage.k8s.io', { spec }, 'x'.repeat(64)), []);
    const tokenRequests = [{ audience: 'a' }, { audience: 'a', expirationSeconds: 5 }];
    assert.deepEqual(created('csidrivers.storage.k8s.io', { spec: { ...spec, tokenRequests } }), [
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
    ]);
  });
});
