import assert from 'node:assert/strict';
import { findCondition, findNonStructural, type CustomResourceDefinition } from '@apichain/schema';
import { reportNonStructural } from './schema-conditions.ts';

const version = (name: string, openAPIV3Schema: object) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema },
});
const migrated = (
  preserveUnknownFields: boolean,
  ...versions: ReturnType<typeof version>[]
): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'as.b' },
  spec: { group: 'b', scope: 'Namespaced', names: { plural: 'as', kind: 'A' }, versions, preserveUnknownFields },
});
const reported = (crd: CustomResourceDefinition) => {
  const changed = reportNonStructural(crd, findNonStructural(crd));
  const { status, reason, message } = findCondition(crd, 'NonStructuralSchema') ?? {};
  return [changed, status, reason, message];
};

describe('the NonStructuralSchema condition of a migrated CRD', () => {
  it('tells the violations under each version, after those of the spec', () => {
    const integer = { type: 'integer' };
    assert.deepEqual(reported(migrated(true, version('v1', integer), version('v2', integer))), [
      true,
      'True',
      'Violations',
      '[spec.preserveUnknownFields: Invalid value: true: must be false, ' +
        'spec.versions[0].schema.openAPIV3Schema.type: Invalid value: "integer": must be object at the root, ' +
        'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "integer": must be object at the root]',
    ]);
    assert.deepEqual(reported(migrated(false, version('v1', {}))), [
      true,
      'True',
      'Violations',
      'spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root',
    ]);
  });

  it('names the version whose schema cannot be checked', () => {
    const [, status, reason, message] = reported(
      migrated(false, version('v1', { type: 'object' }), version('v2', { type: 'object', definitions: { a: {} } })),
    );
    assert.deepEqual([status, reason], ['Unknown', 'StructuralError']);
    assert.match(String(message), /^failed to check validation schema for version v2: /);
  });

  it('is removed with the last violation', () => {
    const crd = migrated(true, version('v1', { type: 'object' }));
    assert.equal(reported(crd)[3], 'spec.preserveUnknownFields: Invalid value: true: must be false');
    crd.spec.preserveUnknownFields = false;
    assert.deepEqual(reported(crd), [true, undefined, undefined, undefined]);
    assert.deepEqual(reported(crd), [false, undefined, undefined, undefined]);
  });
});
