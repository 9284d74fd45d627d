import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('admission policies', () => {
  it('checks policies and their bindings', () => {
    const spec = { policyName: 'p', validationActions: ['Deny', 'Warn'] };
    assert.equal(created('validatingadmissionpolicybindings.admissionregistration.k8s.io', { spec }).length, 1);
    assert.deepEqual(
      created('validatingadmissionpolicies.admissionregistration.k8s.io', { spec: { failurePolicy: 'Fail' } }),
      [
        'spec.matchConstraints: Required value',
        'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
        'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
      ],
    );
  });

  it('tells of a selector beside a name after what is wrong with the selector', () => {
    const paramRef = { name: 'n', selector: { matchLabels: { 'a b': '' } }, parameterNotFoundAction: 'Deny' };
    const binding = { spec: { policyName: 'p', paramRef, validationActions: ['Deny'] } };
    const resource = 'validatingadmissionpolicybindings.admissionregistration.k8s.io';
    assert.deepEqual(
      created(resource, binding).map((line) => line.replace(/:.*$/, '')),
      ['spec.paramRef.name', 'spec.paramRef.selector.matchLabels', 'spec.paramRef.selector'],
    );
  });
});
