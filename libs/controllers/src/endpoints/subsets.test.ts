import type { EndpointAddress, Pod, Service, ServiceSpec } from '@apichain/api/core/v1';
import assert from 'node:assert/strict';
import { fnv128a, sortPorts, sortSlicePorts } from './hash-order.ts';
import { areSubsetsEqual, countAddresses, repack, subsetsOf, truncate } from './subsets.ts';

const service = (spec: ServiceSpec): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    clusterIP: '10.0.0.1',
    ipFamilies: ['IPv4'],
    ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
    ...spec,
  },
});
const pod = (
  name: string,
  ips: readonly string[],
  parts: { ready?: boolean; phase?: string; deleted?: boolean; ports?: string } = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    ...(parts.deleted === true && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  spec: {
    nodeName: 'n',
    hostname: name,
    subdomain: 'web',
    containers: [{ name: 'c', ports: [{ name: parts.ports ?? 'http', containerPort: 8080, protocol: 'TCP' }] }],
  },
  status: {
    phase: parts.phase ?? 'Running',
    podIP: ips[0] ?? '',
    podIPs: ips.map((ip) => ({ ip })),
    conditions: [{ type: 'Ready', status: parts.ready === false ? 'False' : 'True' }],
  },
});
const ips = (addresses: readonly EndpointAddress[] | undefined) => addresses?.map(({ ip }) => ip);

describe('subsets of Endpoints', () => {
  it('find named ports with an index', () => {
    const count = 2_000;
    let reads = 0;
    const ports = Array.from({ length: count }, (_, i) => ({
      get name() {
        reads++;
        return `p${i}`;
      },
      containerPort: i + 1,
      protocol: 'TCP',
    }));
    const many = pod('a', ['10.1.0.1']);
    many.spec = { ...many.spec, containers: [{ name: 'c', ports }] };
    const named = ports.map((_, i) => ({ name: `q${i}`, port: i + 1, targetPort: `p${i}`, protocol: 'TCP' }));
    const [subset] = subsetsOf(service({ ports: named }), [many]);
    assert.equal(subset?.ports?.length, count);
    assert.ok(reads < 10 * count, `${reads} reads of ${count} names`);
  });

  it('have ready and other addresses in order, and leave out pods that end', () => {
    const pods = [
      pod('b', ['10.1.0.2']),
      pod('a', ['10.1.0.1']),
      pod('c', ['10.1.0.3'], { ready: false }),
      pod('d', ['10.1.0.4'], { deleted: true }),
      pod('e', ['10.1.0.5'], { phase: 'Succeeded' }),
      pod('f', []),
    ];
    const [subset, ...more] = subsetsOf(service({}), pods);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [ips(subset?.addresses), ips(subset?.notReadyAddresses)],
      [['10.1.0.1', '10.1.0.2'], ['10.1.0.3']],
    );
    assert.equal(subset?.addresses?.[0]?.hostname, 'a');
    const [all] = subsetsOf(service({ publishNotReadyAddresses: true }), pods);
    assert.deepEqual(ips(all?.addresses), ['10.1.0.1', '10.1.0.2', '10.1.0.3', '10.1.0.4']);
  });
  it('take the address of the first family of the service', () => {
    const pods = [pod('a', ['10.1.0.1', '2001:0db8::0001'])];
    const [subset] = subsetsOf(service({ ipFamilies: ['IPv6', 'IPv4'] }), pods);
    assert.deepEqual(ips(subset?.addresses), ['2001:db8::1']);
  });
  it('are apart for pods with other ports', () => {
    const named = service({
      ports: [
        { port: 80, targetPort: 'http', protocol: 'TCP' },
        { name: 'x', port: 81, targetPort: 9, protocol: 'TCP' },
      ],
    });
    const subsets = subsetsOf(named, [pod('a', ['10.1.0.1']), pod('b', ['10.1.0.2'], { ports: 'other' })]);
    const texts = subsets.map(({ addresses, ports }) =>
      [
        ips(addresses)?.join(),
        ports
          ?.map(({ port }) => port)
          .sort()
          .join(),
      ].join(' '),
    );
    assert.deepEqual(texts.sort(), ['10.1.0.1 8080', '10.1.0.1,10.1.0.2 9']);
    assert.equal(countAddresses(subsets, 'addresses'), 3);
  });
  it('of a headless service need no ports', () => {
    const pods = [pod('a', ['10.1.0.1'])];
    assert.equal(subsetsOf(service({ clusterIP: 'None', ports: [] }), pods).length, 1);
    assert.equal(subsetsOf(service({ ports: [] }), pods).length, 0);
  });
  it('are equal whatever versions the references have', () => {
    const subset = (resourceVersion: string) => [
      { addresses: [{ ip: '1.1.1.1', targetRef: { kind: 'Pod', resourceVersion } }] },
    ];
    assert.equal(areSubsetsEqual(subset('1'), subset('2')), true);
    assert.equal(areSubsetsEqual(subset('1'), [{ addresses: [{ ip: '1.1.1.1' }] }]), false);
  });
  it('show an address that is not ready somewhere as not ready', () => {
    const [subset] = repack([
      { addresses: [{ ip: '1.1.1.1' }], ports: [{ port: 1 }] },
      { notReadyAddresses: [{ ip: '1.1.1.1' }], ports: [{ port: 1 }] },
    ]);
    assert.deepEqual(ips(subset?.notReadyAddresses), ['1.1.1.1']);
  });
  it('have at most a thousand addresses, ready ones first', () => {
    const addresses = (count: number) => Array.from({ length: count }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }));
    const some = truncate([{ addresses: addresses(900), notReadyAddresses: addresses(300) }]);
    assert.deepEqual([countAddresses(some, 'addresses'), countAddresses(some, 'notReadyAddresses')], [900, 100]);
    const many = truncate([
      { addresses: addresses(900) },
      { addresses: addresses(300), notReadyAddresses: addresses(5) },
    ]);
    assert.deepEqual(
      many.map((subset) => countAddresses([subset], 'addresses')),
      [750, 250],
    );
    assert.equal(countAddresses(many, 'notReadyAddresses'), 0);
  });
});

describe('the order of kube-controller-manager', () => {
  it('is that of FNV-1a hashes', () => {
    // What Go prints for the ports, and its hashes.
    const http =
      '(v1.EndpointPort){Name:(string)http Port:(int32)80 Protocol:(v1.Protocol)TCP AppProtocol:(*string)<nil>}';
    assert.equal(fnv128a(http).toString(16), '754b003f50f133a539c60d18cfb30a55');
    const slice =
      '(v1.EndpointPort){Name:(*string)http Protocol:(*v1.Protocol)TCP Port:(*int32)80 AppProtocol:(*string)<nil>}';
    assert.equal(fnv128a(slice).toString(16), 'b6c4d325122a5ba6f795b0bbffcebb6f');
  });
  it('does not depend on the given order', () => {
    const ports = [1, 2, 3, 4].map((port) => ({ port, protocol: 'TCP', name: `p${port}` }));
    assert.deepEqual(sortPorts(ports), sortPorts(ports.toReversed()));
    assert.deepEqual(sortSlicePorts(ports), sortSlicePorts(ports.toReversed()));
  });
});
