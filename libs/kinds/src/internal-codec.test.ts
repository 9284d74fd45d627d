import assert from 'node:assert/strict';
import { parseJson, type KubeObject } from '@apichain/meta';
import { internalCodec } from './internal-codec.ts';
import { builtinProtobuf, protobufMediaType } from './protobuf.ts';

const kindOf = (kind: string) => ({ group: '', version: 'v1', kind });
const ports: KubeObject = {
  apiVersion: 'v1',
  kind: 'RangeAllocation',
  metadata: {},
  range: '30000-32767',
  data: Buffer.from([2, 1]).toString('base64'),
};
const lease: KubeObject = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { generation: 3 },
  subsets: [{ addresses: [{ ip: '192.0.2.1' }] }],
};

describe('the codec of what servers keep for themselves', () => {
  for (const object of [ports, lease]) {
    it(`reads a ${object.kind} in both forms, and writes the wanted one`, () => {
      const json = internalCodec(kindOf(object.kind));
      const protobuf = internalCodec(kindOf(object.kind), protobufMediaType);
      const written = protobuf.encode(object);
      assert.ok(written.equals(builtinProtobuf.encode(object)));
      assert.ok(!json.isCurrent(written) && protobuf.isCurrent(written));
      for (const codec of [json, protobuf]) {
        for (const value of [written, json.encode(object), Buffer.from(JSON.stringify(object))]) {
          const { metadata, ...rest } = parseJson(codec.decode(value, 7)) as KubeObject;
          const { metadata: _own, ...expected } = object;
          assert.deepEqual(rest, expected);
          assert.deepEqual([metadata.resourceVersion, metadata.generation], ['7', object.metadata.generation]);
        }
      }
    });
  }

  it('writes the bytes of kube-apiserver', () => {
    // The envelope of the kind, then: metadata without fields in it, the range, the ports.
    const metadata = [0x0a, 0x00, 0x12, 0x00, 0x1a, 0x00, 0x22, 0x00, 0x2a, 0x00, 0x32, 0x00, 0x38, 0x00, 0x42, 0x00];
    const range = Buffer.from('30000-32767');
    const message = [0x0a, metadata.length, ...metadata, 0x12, range.length, ...range, 0x1a, 2, 2, 1];
    const kind = Buffer.from('RangeAllocation');
    const type = [0x0a, 2, ...Buffer.from('v1'), 0x12, kind.length, ...kind];
    const envelope = [0x0a, type.length, ...type, 0x12, message.length, ...message, 0x1a, 0, 0x22, 0];
    const expected = Buffer.from([...Buffer.from('k8s\0'), ...envelope]);
    const written = internalCodec(kindOf('RangeAllocation'), protobufMediaType).encode(ports);
    assert.equal(written.toString('hex'), expected.toString('hex'));
  });
});
