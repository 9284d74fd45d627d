import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('network policies', () => {
  it('checks network policies', () => {
    const peer = { ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] }, podSelector: {} };
    assert.deepEqual(
      created('networkpolicies.networking.k8s.io', { spec: { podSelector: {}, ingress: [{ from: [peer] }] } }),
      [
        'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
        'spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer',
      ],
    );
  });

  it('looks for exceptions within a range, however it is written', () => {
    const from = [{ ipBlock: { cidr: '1.2.3.4/24', except: ['10.1.0.0/16'] } }];
    const ports = [{ port: 65536, endPort: 3, protocol: 'TCP' }];
    assert.deepEqual(
      created('networkpolicies.networking.k8s.io', { spec: { podSelector: {}, ingress: [{ from, ports }] } }),
      [
        'spec.ingress[0].ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive',
        'spec.ingress[0].ports[0].endPort: Invalid value: 65536: must be greater than or equal to `port`',
        'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "1.2.3.4/24": must not have bits set beyond the prefix length',
        'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.1.0.0/16": must be a strict subset of `cidr`',
      ],
    );
  });
});
