import assert from 'node:assert/strict';
import type { Service } from '@apichain/api/core/v1';
import type { KubeObject } from '@apichain/meta';
import type { Storage } from '@apichain/storage';
import { NodePortAllocator, type EachService } from './node-port-allocator.ts';
import { NodePortRepair } from './node-port-repair.ts';
import { PortBitmap } from './port-bitmap.ts';
import { formatPortRange, parsePortRange } from './port-range.ts';
import { allNodePorts } from './service-node-ports.ts';

/** The part of a store that holds one object, with compare-and-swap. */
class OneObject {
  object: KubeObject | undefined;
  /** Called between the read and the write of an update; the write is tried again when it changes the object. */
  meanwhile: () => void = () => undefined;

  async guaranteedUpdate(_key: string, { tryUpdate }: { tryUpdate: (c: unknown) => Promise<{ object: KubeObject }> }) {
    for (;;) {
      const before = this.object;
      const result = await tryUpdate(before === undefined ? undefined : { parse: () => structuredClone(before) });
      this.meanwhile();
      if (this.object !== before) continue;
      this.object = result.object;
      return;
    }
  }
}

const range = parsePortRange('30000-30015');
const service = (name: string, ...nodePorts: number[]): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'n', uid: name },
  spec: { type: 'NodePort', ports: nodePorts.map((nodePort, i) => ({ port: i + 1, protocol: 'TCP', nodePort })) },
});

describe('repair of node ports', () => {
  let stored: OneObject;
  let services: Service[];
  let allocator: NodePortAllocator;
  const eachService: EachService = (visit) => Promise.resolve(services.forEach(visit));
  const held = () => PortBitmap.read(stored.object, range).ports();

  beforeEach(() => {
    stored = new OneObject();
    services = [];
    allocator = new NodePortAllocator(stored as object as Storage, range, eachService);
  });

  it('never gives a port of a service again when the stored ports are lost', async () => {
    services = [service('a', 30001), service('b', 30002, 30003)];
    await assert.rejects(allocator.allocate(30003), /provided port is already allocated/);
    const given = new Set<number>();
    for (let i = 0; i < 13; i++) given.add(await allocator.allocateNext());
    assert.ok(![30001, 30002, 30003].some((port) => given.has(port)));
    await assert.rejects(allocator.allocateNext(), /range is full/);
  });

  it('adds missing ports and tells of them, of duplicates and of ports outside of the range', async () => {
    services = [service('a', 30001), service('b', 30001, 30002), service('c', 31000)];
    await allocator.rebuild(() => Promise.resolve(new PortBitmap(range, 1n << 2n)));
    const found = await new NodePortRepair(allocator).pass();
    assert.deepEqual(
      found.map(({ object, reason, note }) => [object.metadata.name, reason, note]),
      [
        ['a', 'PortNotAllocated', 'Port 30001 is not allocated; repairing'],
        ['b', 'PortAlreadyAllocated', 'Port 30001 was assigned to multiple services; please recreate service'],
        ['c', 'PortOutOfRange', 'Port 31000 is not within the port range 30000-30015; please recreate service'],
      ],
    );
    assert.deepEqual(held(), [30001, 30002]);
  });

  it('releases a port without a service in the fourth pass, and starts again when it was used in between', async () => {
    await allocator.allocate(30005);
    const repair = new NodePortRepair(allocator);
    await repair.pass();
    await repair.pass();
    services = [service('late', 30005)];
    await repair.pass();
    services = [];
    for (let i = 0; i < 3; i++) {
      await repair.pass();
      assert.deepEqual(held(), [30005]);
    }
    await repair.pass();
    assert.deepEqual(held(), []);
  });

  it('reads the services again when a port is allocated during a pass, and counts the pass once', async () => {
    await allocator.allocate(30005);
    let first = true;
    stored.meanwhile = () => {
      if (!first) return;
      first = false;
      services = [service('new', 30007)];
      stored.object = new PortBitmap(range, (1n << 5n) | (1n << 7n)).write(undefined);
    };
    const repair = new NodePortRepair(allocator);
    assert.deepEqual(await repair.pass(), []);
    assert.deepEqual(held(), [30005, 30007]);
    for (let i = 0; i < 2; i++) await repair.pass();
    assert.deepEqual(held(), [30005, 30007]);
    await repair.pass();
    assert.deepEqual(held(), [30007]);
  });
});

describe('the stored ports', () => {
  it('are one bit each, the first port last, without leading zeros', () => {
    const ports = new PortBitmap(range);
    assert.equal(ports.write(undefined).data, '');
    ports.add(30000);
    ports.add(30009);
    const object = ports.write({ apiVersion: 'v1', kind: 'RangeAllocation', metadata: { uid: 'kept' } });
    assert.deepEqual([object.data, object.range], [Buffer.from([2, 1]).toString('base64'), '30000-30015']);
    assert.equal(object.metadata.uid, 'kept');
    assert.deepEqual(PortBitmap.read(object, range).ports(), [30000, 30009]);
  });

  it('are read by servers with other ranges', () => {
    const object = new PortBitmap(range, 0b1000000001n).write(undefined);
    for (const [other, expected] of [
      ['29990-30100', [30000, 30009]],
      ['30005-30100', [30009]],
      ['30000-30008', [30000]],
      ['31000-31010', []],
    ] as const) {
      const read = PortBitmap.read(object, parsePortRange(other));
      assert.deepEqual(read.ports(), expected, other);
      assert.equal(formatPortRange(read.range), other);
    }
  });

  it('count a port that two protocols share once, and the port of health checks', () => {
    const ports = (...given: [number, string][]) => given.map(([nodePort, protocol]) => ({ nodePort, protocol }));
    assert.deepEqual(
      allNodePorts({ ports: ports([1, 'TCP'], [1, 'UDP'], [2, 'TCP'], [2, 'TCP'], [0, 'TCP']) }),
      [1, 2, 2],
    );
    assert.deepEqual(allNodePorts({ ports: ports([1, 'TCP']), healthCheckNodePort: 3 }), [1, 3]);
    assert.deepEqual(allNodePorts({ ports: ports([1, 'UDP']), healthCheckNodePort: 1 }), [1]);
  });
});
