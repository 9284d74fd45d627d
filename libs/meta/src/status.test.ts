import assert from 'node:assert/strict';
import * as field from './field-error.ts';
import { newInvalid, newNotFound } from './status.ts';

describe('status catalogue', () => {
  const kind = { group: 'apps', kind: 'Deployment' };
  it('joins field errors, each text once, and keeps every cause', () => {
    const error = field.required('spec.x');
    assert.equal(newInvalid(kind, 'a', [error]).message, 'Deployment.apps "a" is invalid: spec.x: Required value');
    const several = newInvalid(kind, 'a', [error, error, field.required('spec.y')]);
    assert.equal(several.message, 'Deployment.apps "a" is invalid: [spec.x: Required value, spec.y: Required value]');
    assert.equal(several.status.details?.causes?.length, 3);
    assert.equal(newInvalid(kind, 'a', []).message, 'Deployment.apps "a" is invalid');
  });
  it('writes the members in the order of Go', () => {
    const { status } = newNotFound({ group: 'apps', resource: 'deployments' }, 'a');
    assert.equal(
      JSON.stringify(status),
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \\"a\\" not found",' +
        '"reason":"NotFound","details":{"name":"a","group":"apps","kind":"deployments"},"code":404}',
    );
  });
  it('quotes names as Go does', () => {
    assert.equal(newNotFound({ group: '', resource: 'pods' }, 'a\u0001"').message, 'pods "a\\x01\\"" not found');
  });
});
