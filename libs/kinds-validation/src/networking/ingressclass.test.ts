import assert from 'node:assert/strict';
import { created, updated } from '../common/validation-for.fixture.ts';

describe('ingress classes', () => {
  it('checks ingress classes', () => {
    const parameters = { kind: 'K', name: 'n', scope: 'Namespace' };
    assert.deepEqual(created('ingressclasses.networking.k8s.io', { spec: { controller: 'a.io/b', parameters } }), [
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ]);
  });

  it('checks what may not change first', () => {
    assert.deepEqual(updated('ingressclasses.networking.k8s.io', { spec: {} }, { spec: { controller: 'a.b/c' } }), [
      'spec.controller: Invalid value: "": field is immutable',
      'spec.controller: Required value',
    ]);
  });
});
