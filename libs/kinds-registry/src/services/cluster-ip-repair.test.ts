import assert from 'node:assert/strict';
import type { Service } from '@apichain/api/core/v1';
import type { IPAddress } from '@apichain/api/networking/v1';
import { KeyExistsError, KeyNotFoundError } from '@apichain/storage';
import type { KindStorage } from '../kind-store.ts';
import { ClusterIpAllocator, parseServiceRanges } from './cluster-ip-allocator.ts';
import { ClusterIpRepair } from './cluster-ip-repair.ts';

const service = (name: string, ...clusterIPs: string[]): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'n', uid: name },
  spec: { type: 'ClusterIP', clusterIP: clusterIPs[0] ?? '', clusterIPs },
});
const longAgo = '2020-01-01T00:00:00Z';
const address = (ip: string, owner: string, more: Partial<IPAddress['metadata']> = {}): IPAddress => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IPAddress',
  metadata: {
    name: ip,
    uid: `uid of ${ip}`,
    creationTimestamp: longAgo,
    labels: {
      'ipaddress.kubernetes.io/ip-family': ip.includes(':') ? 'IPv6' : 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    },
    ...more,
  },
  spec: { parentRef: { resource: 'services', namespace: 'n', name: owner } },
});

describe('repair of cluster IPs', () => {
  let services: Service[];
  let live: Service[] | undefined;
  let addresses: Map<string, IPAddress>;
  const add = (...given: IPAddress[]) => given.forEach((one) => addresses.set(one.metadata.name ?? '', one));

  const ipAddresses = {
    list: () => Promise.resolve({ items: [...addresses.values()].map((object) => ({ parse: () => object })) }),
    create: (key: string, object: IPAddress) => {
      const name = key.slice('/ipaddresses/'.length);
      if (addresses.has(name)) return Promise.reject(new KeyExistsError(key));
      addresses.set(name, object);
      return Promise.resolve();
    },
    delete: (key: string) =>
      addresses.delete(key.slice('/ipaddresses/'.length))
        ? Promise.resolve()
        : Promise.reject(new KeyNotFoundError(key)),
  } as object as KindStorage<'ipaddresses.networking.k8s.io'>;
  const serviceCidrs = {
    list: () => Promise.resolve({ items: [] }),
  } as object as KindStorage<'servicecidrs.networking.k8s.io'>;

  const pass = async () => {
    const ranges = parseServiceRanges('10.0.0.0/24,fd00::/112');
    const allocator = new ClusterIpAllocator(
      { ipAddresses: () => ipAddresses, serviceCidrs: () => serviceCidrs },
      ranges,
    );
    const repair = new ClusterIpRepair(allocator, {
      ipAddresses: () => ipAddresses,
      eachService: (visit) => Promise.resolve(services.forEach(visit)),
      service: (_namespace, name) => Promise.resolve((live ?? services).find((one) => one.metadata.name === name)),
    });
    return (await repair.pass()).map(({ object, reason, note }) => `${object.metadata.name ?? ''} ${reason}: ${note}`);
  };
  const owners = () => [...addresses].map(([ip, { spec }]) => `${ip} ${spec?.parentRef?.name ?? ''}`).toSorted();

  beforeEach(() => {
    services = [];
    live = undefined;
    addresses = new Map();
  });

  it('creates the missing addresses of both families', async () => {
    services = [service('a', '10.0.0.5', 'fd00::5'), service('headless', 'None'), service('none')];
    assert.deepEqual(await pass(), [
      'a ClusterIPNotAllocated: Cluster IP [IPv4]: 10.0.0.5 is not allocated; repairing',
      'a ClusterIPNotAllocated: Cluster IP [IPv6]: fd00::5 is not allocated; repairing',
    ]);
    assert.deepEqual(owners(), ['10.0.0.5 a', 'fd00::5 a']);
    assert.deepEqual(await pass(), []);
  });

  it('creates none for a service that is gone by now, or has another address', async () => {
    services = [service('gone', '10.0.0.5'), service('changed', '10.0.0.6')];
    live = [service('changed', '10.0.0.7')];
    assert.deepEqual(await pass(), []);
    assert.deepEqual(owners(), []);
  });

  it('tells of two services with an address, and of addresses outside of the ranges or that are none', async () => {
    services = [service('a', '10.0.0.5'), service('b', '10.0.0.5'), service('c', '10.9.0.5'), service('d', 'x')];
    add(address('10.0.0.5', 'a'));
    assert.deepEqual(await pass(), [
      'b ClusterIPAlreadyAllocated: Cluster IP [IPv4]: 10.0.0.5 was assigned to multiple services; please recreate service',
      'c ClusterIPOutOfRange: Cluster IP [IPv4]: 10.9.0.5 is not within any configured Service CIDR; please recreate service',
      'd ClusterIPNotValid: Cluster IP x is not a valid IP; please recreate Service',
    ]);
    assert.deepEqual(owners(), ['10.0.0.5 a']);
  });

  it('replaces an address that refers to nothing, and one without the labels of the allocator', async () => {
    services = [service('a', '10.0.0.5'), service('b', '10.0.0.6')];
    add(address('10.0.0.5', 'gone'), address('10.0.0.6', 'b', { labels: {} }));
    assert.deepEqual(await pass(), [
      'a ClusterIPNotAllocated: the ClusterIP [IPv4]: 10.0.0.5 for Service n/a has a wrong reference; repairing',
    ]);
    assert.deepEqual(owners(), ['10.0.0.5 a', '10.0.0.6 b']);
    assert.equal(addresses.get('10.0.0.6')?.metadata.labels?.['ipaddress.kubernetes.io/ip-family'], 'IPv4');
  });

  it('deletes addresses without a service after a minute, and leaves those of others alone', async () => {
    services = [service('a', '10.0.0.5')];
    add(
      address('10.0.0.5', 'a'),
      address('10.0.0.6', 'gone'),
      address('10.0.0.7', 'a'),
      address('10.0.0.8', 'soon', { creationTimestamp: new Date().toISOString() }),
      address('10.0.0.9', 'theirs', { labels: {} }),
    );
    assert.deepEqual(await pass(), [
      '10.0.0.6 IPAddressNotAllocated: IPAddress: 10.0.0.6 for Service n/gone appears to have leaked: cleaning up',
      '10.0.0.7 IPAddressWrongReference: IPAddress: 10.0.0.7 for Service n/a has a wrong reference; cleaning up',
    ]);
    assert.deepEqual(owners(), ['10.0.0.5 a', '10.0.0.8 soon', '10.0.0.9 theirs']);
  });
});
