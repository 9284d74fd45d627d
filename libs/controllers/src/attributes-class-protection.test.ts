import assert from 'node:assert/strict';
import { keepClasses, namesIn } from './attributes-class-protection.ts';

describe('the classes that a claim or volume refers to', () => {
  const classesOf = (spec: object, status?: object) => {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c', namespace: 'n' },
      spec,
      status,
    };
    assert.deepEqual(namesIn(keepClasses(claim)), namesIn(claim));
    return namesIn(claim);
  };

  it('are those that it asks for, has, and is being changed to, each once', () => {
    assert.deepEqual(classesOf({ volumeAttributesClassName: 'gold' }), ['gold']);
    const status = {
      currentVolumeAttributesClassName: 'silver',
      modifyVolumeStatus: { targetVolumeAttributesClassName: 'gold', status: 'InProgress' },
    };
    assert.deepEqual(classesOf({ volumeAttributesClassName: 'gold' }, status), ['gold', 'silver']);
  });
  it('are none where names are missing or empty', () => {
    assert.deepEqual(classesOf({}), []);
    assert.deepEqual(classesOf({ volumeAttributesClassName: '' }, { phase: 'Bound' }), []);
  });
});
