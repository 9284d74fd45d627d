import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('ingresses', () => {
  it('checks ingresses', () => {
    const path = { path: 'a', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } };
    assert.deepEqual(
      created('ingresses.networking.k8s.io', { spec: { rules: [{ host: '1.2.3.4', http: { paths: [path] } }] } }),
      [
        'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
        'spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path',
      ],
    );
  });
});
