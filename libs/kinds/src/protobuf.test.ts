import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { deepEqual, isRecord, parseJson, type KubeObject } from '@apichain/meta';
import { canonicalize, ProtobufCodec, type Type } from '@apichain/scheme';
import { sharedPath } from '@apichain/schema/shared-folder.fixture';
import { builtinProtobuf } from './protobuf.ts';
import { builtinType } from './types.ts';

/* Objects written by a real server in both formats. The recordings are outside of the repository. */
const filesIn = (folder: string): string[] => readdirSync(folder).filter((file) => file.endsWith('.json'));

/** `core.v1.Pod` or `admission.k8s.io.v1.AdmissionReview`. */
function typeOfFile(file: string): Type | undefined {
  const match = /^(.+)\.(v[^.]+)\.([^.]+)\.json$/.exec(file);
  assert.ok(match !== null);
  const [, group = '', version = '', kind = ''] = match;
  return builtinType({ group: group === 'core' ? '' : group, version, kind });
}

describe('protobuf of built-in kinds', () => {
  const codec = new ProtobufCodec({ typeOf: builtinType });

  it('equals that of a real server, byte for byte', function () {
    const differences: string[] = [];
    const folder = sharedPath(this, 'testdata/api-roundtrip');
    for (const file of filesIn(folder)) {
      const type = typeOfFile(file);
      const json = parseJson(readFileSync(`${folder}/${file}`));
      if (type === undefined || !isRecord(json)) continue;
      const expected = readFileSync(`${folder}/${file.replace(/json$/, 'pb')}`);
      const actual = codec.encodeAs(json, type);
      if (!actual.equals(expected)) differences.push(`${file}: ${firstDifference(actual, expected)}`);
    }
    assert.deepEqual(differences, []);
  });

  const assembled = (list: KubeObject, items: readonly KubeObject[]): Buffer => {
    const encoded = items.map((item) => codec.encodeListItem(list, item));
    const { before, after } = codec.encodeListFrame(
      list,
      encoded.reduce((sum, { length }) => sum + length, 0),
    );
    return Buffer.concat([before, ...encoded, after]);
  };

  it('assembles a list from its items and what stands around them', () => {
    const pod = (name: string): KubeObject => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name } });
    const head: KubeObject = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7' } };
    const items = ['a', 'b', 'c'].map(pod);
    assert.deepEqual(assembled(head, items), codec.encode({ ...head, items }));
    assert.deepEqual(assembled(head, []), codec.encode({ ...head, items: [] }));
  });

  for (const version of ['v1', 'v1beta1']) {
    it(`assembles a list of metadata of ${version}`, () => {
      const apiVersion = `meta.k8s.io/${version}`;
      const head: KubeObject = { kind: 'PartialObjectMetadataList', apiVersion, metadata: { resourceVersion: '7' } };
      const items = ['a', 'b'].map((name) => ({ kind: 'PartialObjectMetadata', apiVersion, metadata: { name } }));
      assert.deepEqual(assembled(head, items), codec.encode({ ...head, items }));
    });
  }

  it('takes documents of the core group as they are, without a version', () => {
    const document = { apiVersion: '', kind: 'APIVersions', metadata: {}, versions: ['v1'] };
    assert.equal(builtinProtobuf.encode(document).subarray(4, 21).toString('latin1'), '\n\x0f\n\0\x12\x0bAPIVersions');
    assert.throws(() => builtinProtobuf.encode({ ...document, kind: 'Pod' }));
  });

  it('has the members of a v1beta1 list of metadata at their old field numbers', () => {
    const codec = new ProtobufCodec({ typeOf: builtinType });
    const item = { apiVersion: 'meta.k8s.io/v1beta1', kind: 'PartialObjectMetadata', metadata: { name: 'a' } };
    const list = {
      apiVersion: 'meta.k8s.io/v1beta1',
      kind: 'PartialObjectMetadataList',
      metadata: { resourceVersion: '7' },
      items: [item],
    };
    const raw = (version: string) =>
      codec.encode({ ...list, apiVersion: `meta.k8s.io/${version}`, items: [item] }).toString('latin1');
    const metadata = '\n\0\u0012\u00017\u001a\0';
    assert.ok(raw('v1').includes(`\n\u0007${metadata}`));
    assert.ok(raw('v1beta1').includes(`\u0012\u0007${metadata}`));
    assert.equal(codec.decodeCanonical(codec.encode(item))['kind'], 'PartialObjectMetadata');
  });

  it('decodes to the JSON of the same object', function () {
    const differences: string[] = [];
    const unknown: string[] = [];
    const folder = sharedPath(this, 'testdata/api-roundtrip');
    for (const file of filesIn(folder)) {
      const type = typeOfFile(file);
      if (type === undefined) {
        unknown.push(file);
        continue;
      }
      const bytes = readFileSync(`${folder}/${file.replace(/json$/, 'pb')}`);
      const kind =
        file
          .replace(/\.json$/, '')
          .split('.')
          .pop() ?? '';
      const decoded = codec.decode(bytes, { group: '', version: 'v1', kind });
      const actual = canonicalize(decoded, type);
      const expected = parseJson(readFileSync(`${folder}/${file}`));
      if (!deepEqual(actual, expected)) {
        differences.push(`${file}:\n${JSON.stringify(actual)}\n${JSON.stringify(expected)}`);
      }
    }
    assert.deepEqual(differences, []);
    // Versions that no server of this release serves.
    assert.deepEqual(
      unknown.filter((file) => !/^(extensions\.v1beta1|apps\.v1beta|.*\.v\d+(alpha|beta)\d+)\./.test(file)),
      [],
    );
  });
});

function firstDifference(actual: Buffer, expected: Buffer): string {
  let at = 0;
  while (at < actual.length && actual[at] === expected[at]) at++;
  const around = (bytes: Buffer) => bytes.subarray(Math.max(0, at - 24), at + 24).toString('latin1');
  return `at ${at} of ${expected.length} (${actual.length}): ${JSON.stringify(around(actual))} ${JSON.stringify(around(expected))}`;
}
