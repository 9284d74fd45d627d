import { strict as assert } from 'node:assert';
import type { FieldError } from '@apichain/meta';
import { decodeObject } from '@apichain/scheme';
import { builtinTypes } from '@apichain/kinds';
import { lines, object } from '../common/errors.fixture.ts';
import { validateClaimStatus, validateClaimUpdate } from './claim.ts';
import { validateStorageClassUpdate } from './classes.ts';
import { validateVolume, validateVolumeUpdate, volumeSpecErrors } from './volume.ts';

const storageClassType = builtinTypes.type('storage.k8s.io.v1.StorageClass');

describe('volumes of an attachment', () => {
  it('have no affinity, whatever is given', () => {
    const nodeAffinity = {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] },
    };
    const errors: FieldError[] = [];
    volumeSpecErrors(
      errors,
      'spec',
      { local: { path: '/a' }, accessModes: ['ReadWriteOnce'], nodeAffinity },
      'v',
      true,
    );
    assert.deepEqual(lines(errors).slice(-2), [
      'spec.nodeAffinity: Forbidden: may not be specified in the context of inline volumes',
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
    ]);
  });
});

describe('classes of storage', () => {
  it('show the parameters that took the place of others', () => {
    const changed = object('StorageClass', 'c', { provisioner: 'p' });
    const emptied = { ...decodeObject({ parameters: {} }, storageClassType).object, ...changed };
    const stored = object('StorageClass', 'c', { provisioner: 'p', parameters: { a: 'b' } });
    assert.deepEqual(lines(validateStorageClassUpdate(changed, stored)), [
      'parameters: Invalid value: null: field is immutable',
    ]);
    assert.deepEqual(lines(validateStorageClassUpdate(emptied, stored)), [
      'parameters: Invalid value: {}: field is immutable',
    ]);
  });
});

describe('claims', () => {
  const claim = (spec: object, status: object = {}) =>
    object('PersistentVolumeClaim', 'c', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, ...spec },
      status,
    });
  const smaller = { resources: { requests: { storage: '-1' } } };

  it('do not shrink to less than nothing while nothing is known of their capacity', () => {
    const [last = ''] = lines(validateClaimUpdate(claim(smaller), claim({}))).slice(-1);
    assert.equal(last, 'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity');
  });
  it('show the volume that they get with what else changed', () => {
    const changed = claim({ volumeName: 'v', accessModes: ['ReadOnlyMany'], volumeMode: 'Block' });
    const shown = lines(validateClaimUpdate(changed, claim({ volumeMode: 'Block' }))).join('\n');
    assert.match(shown, /\n- {2}"ReadWriteOnce"\n\+ {2}"ReadOnlyMany"\n/);
    assert.doesNotMatch(shown, /\n[-+].*"VolumeName"/);
  });
  it('lose no request unseen when they are bound', () => {
    const bound = { phase: 'Bound' };
    const shown = lines(validateClaimUpdate(claim({ resources: {} }, bound), claim({}, bound))).join('\n');
    assert.match(shown, /\n\+ {2}"Requests": null\n/);
  });
  it('are resized in storage, or in something qualified', () => {
    const status = { allocatedResources: { cpu: '1', 'a/': '1', 'example.com/x': '1' } };
    assert.deepEqual(
      lines(validateClaimStatus(claim({}, status))).map((line) => line.slice(0, 75)),
      [
        'status.allocatedResources: Invalid value: "a/": name part must be non-empty',
        'status.allocatedResources: Invalid value: "a/": name part must consist of a',
        'status.allocatedResources: Unsupported value: "cpu": supported values: "sto',
      ],
    );
  });
});

describe('volumes', () => {
  const affinity = (key: string) => ({
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] },
  });
  const volume = (spec: object) =>
    object('PersistentVolume', 'v', {
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        volumeMode: 'Filesystem',
        nfs: { server: 's', path: '/p' },
        ...spec,
      },
    });
  const changes = (spec: object, old: object) => lines(validateVolumeUpdate(volume(spec), volume(old)));

  it('show their source in the order that it has inside the API server', () => {
    const [error = ''] = changes({ nfs: { server: 's', path: '/p', readOnly: true } }, {});
    assert.match(error, /\n {2}"RBD": null,\n {2}"Quobyte": null,\n/);
  });
  it('tell of the secret of iSCSI before the name of its initiator', () => {
    const iscsi = { targetPortal: 't', iqn: 'iqn.2001-04.com.example:x', secretRef: {}, initiatorName: 'x' };
    assert.deepEqual(lines(validateVolume(volume({ nfs: undefined, iscsi }))), [
      'spec.iscsi.secretRef.name: Required value',
      'spec.iscsi.initiatorname: Invalid value: "x": must be valid format',
    ]);
  });
  it('may give their labels the stable names', () => {
    const beta = { nodeAffinity: affinity('beta.kubernetes.io/os') };
    assert.deepEqual(changes({ nodeAffinity: affinity('kubernetes.io/os') }, beta), []);
    assert.equal(changes({ nodeAffinity: affinity('example.com/os') }, beta).length, 1);
    const fieldPath = '.required.nodeSelectorTerms[0].matchExpressions[0].key';
    assert.ok(
      changes({ nodeAffinity: affinity('') }, { nodeAffinity: affinity('example.com/os') }).every((line) =>
        line.startsWith(`spec.nodeAffinity${fieldPath}: `),
      ),
    );
  });
});
