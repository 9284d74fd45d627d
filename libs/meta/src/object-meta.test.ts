import assert from 'node:assert/strict';
import { nameIsDNSSubdomain } from './names.ts';
import { generateName, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import type { ObjectMeta } from './types.ts';

const texts = (errors: readonly { field: string; message: string }[]) => errors.map((e) => `${e.field}: ${e.message}`);
const create = (meta: ObjectMeta, namespaced = true) =>
  texts(validateObjectMeta(meta, namespaced, nameIsDNSSubdomain, 'metadata'));

describe('validateObjectMeta', () => {
  it('accepts an ordinary object', () => {
    assert.deepEqual(create({ name: 'a', namespace: 'b', labels: { x: 'y' }, finalizers: ['a.b/c'] }), []);
  });
  it('requires a valid name, and a namespace for namespaced kinds', () => {
    assert.deepEqual(create({}), [
      'metadata.name: Required value: name or generateName is required',
      'metadata.namespace: Required value',
    ]);
    assert.deepEqual(create({ name: 'a', namespace: 'b' }, false), [
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
  });
  it('reports owner references without an index', () => {
    const owner = { apiVersion: '', kind: '', name: '', uid: '' };
    assert.deepEqual(create({ name: 'a', namespace: 'b', ownerReferences: [owner] }), [
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ]);
    const reference = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: '1', controller: true };
    assert.deepEqual(create({ name: 'a', namespace: 'b', ownerReferences: [reference, { ...reference, name: 'y' }] }), [
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"x","uid":"1","controller":true},{"apiVersion":"v1","kind":"Pod","name":"y","uid":"1","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/x and Pod/y',
    ]);
  });
  it('limits annotations by their bytes and checks keys in lower case', () => {
    assert.deepEqual(create({ name: 'a', namespace: 'b', annotations: { 'A.B/c': 'é'.repeat(131072) } }), [
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ]);
  });
  it('checks finalizers and managed fields', () => {
    assert.deepEqual(create({ name: 'a', namespace: 'b', finalizers: ['orphan', 'foregroundDeletion'] }), [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ]);
    assert.deepEqual(create({ name: 'a', namespace: 'b', managedFields: [{ manager: 'a\nb' }] }), [
      'metadata.managedFields[0].operation: Invalid value: "": must be `Apply` or `Update`',
      'metadata.managedFields[0].manager: Invalid value: "a\\nb": invalid character U+000A (at position 1)',
    ]);
  });
});

describe('validateObjectMetaUpdate', () => {
  const old: ObjectMeta = {
    name: 'a',
    namespace: 'b',
    uid: '1',
    resourceVersion: '5',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  const update = (meta: ObjectMeta, before: ObjectMeta = old) =>
    texts(validateObjectMetaUpdate(meta, before, 'metadata'));

  it('accepts the same instant in another zone', () => {
    assert.deepEqual(update({ ...old, creationTimestamp: '2026-01-01T01:00:00+01:00' }), []);
  });
  it('keeps identity', () => {
    const changed = { ...old, name: 'z', uid: '2', resourceVersion: '', generation: 1, deletionGracePeriodSeconds: 3 };
    assert.deepEqual(update(changed), [
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      'metadata.generation: Invalid value: 1: must not be decremented',
      'metadata.name: Invalid value: "z": field is immutable',
      'metadata.uid: Invalid value: "2": field is immutable',
      'metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable',
    ]);
  });
  it('refuses new finalizers on a terminating object', () => {
    const deleting = { ...old, deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['x.y/a'] };
    assert.deepEqual(update({ ...deleting, finalizers: ['x.y/a', 'x.y/c', 'x.y/b'] }, deleting), [
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.y/b", "x.y/c"}',
    ]);
    assert.deepEqual(update({ ...deleting, finalizers: [] }, deleting), []);
  });
});

describe('generateName', () => {
  it('adds five characters and stays within 63', () => {
    assert.match(generateName('web-'), /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    assert.equal(generateName('x'.repeat(100)).length, 63);
  });
});
