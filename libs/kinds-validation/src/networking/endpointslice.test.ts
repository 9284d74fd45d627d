import { strict as assert } from 'node:assert';
import { lines, object } from '../common/errors.fixture.ts';
import { created } from '../common/validation-for.fixture.ts';
import { validateEndpointSlice } from './endpointslice.ts';

describe('validateEndpointSlice', () => {
  const slice = (addressType: string, address: string, ports: object[] = []) =>
    lines(
      validateEndpointSlice(
        object('EndpointSlice', 's', { addressType, endpoints: [{ addresses: [address] }], ports }),
      ),
    );
  const path = 'endpoints[0].addresses';

  it('tells the family of an address before what it may not be, and ports first', () => {
    assert.deepEqual(slice('IPv6', '127.0.0.1', [{ protocol: 'X' }]), [
      'ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
      `${path}: Invalid value: "127.0.0.1": must be an IPv6 address`,
      `${path}[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)`,
    ]);
  });
  it('asks nothing more of an address that is wrongly written', () => {
    assert.deepEqual(slice('IPv6', '::ffff:1.2.3.4'), [
      `${path}[0]: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address`,
    ]);
  });

  it('checks endpoint slices', () => {
    assert.deepEqual(
      created('endpointslices.discovery.k8s.io', {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['127.0.0.1'] }, {}],
      }),
      [
        'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'endpoints[1].addresses: Required value: must contain at least 1 address',
      ],
    );
  });
});
