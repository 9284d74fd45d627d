import assert from 'node:assert/strict';
import { httpTransport } from '@apichain/client';
import { builtinProtobuf } from '@apichain/kinds';
import { maxMembers, stringifyYaml, type KubeObject } from '@apichain/meta';
import { encodeCbor } from '@apichain/scheme';
import { core, TestKubeCore } from './kube-core.fixture.ts';

const path = '/api/v1/namespaces/default/configmaps';

const items = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, '']));

/** apiVersion, kind, metadata, the name in metadata, and data. */
const membersAround = 5;

/** A ConfigMap with that many members. */
const configMap = (members: number, name = 'wide'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: items(members - membersAround),
});

describe('the limit of members', () => {
  const kubeCore = new TestKubeCore(['--feature-gates=CBORServingAndStorage=true']);

  async function send(method: 'POST' | 'PATCH' | 'DELETE', target: string, contentType: string, body: Buffer | string) {
    const { url, token, ca } = kubeCore.server.loopback;
    const transport = httpTransport({ url, token, ca });
    try {
      const headers = { 'content-type': contentType };
      const response = await transport.send({ method, path: target, headers, body: Buffer.from(body) });
      const chunks: Buffer[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      return { status: response.status, text: Buffer.concat(chunks).toString() };
    } finally {
      await transport.close();
    }
  }
  const refusal = /"Request entity too large: a document may have at most 100000 members/;

  /** Asserts that a request succeeds with the limit of members and fails with one more. */
  async function holds(request: (members: number) => ReturnType<typeof send>, expected: number): Promise<void> {
    const passed = await request(maxMembers);
    assert.equal(passed.status, expected, passed.text.slice(0, 500));
    const refused = await request(maxMembers + 1);
    assert.equal(refused.status, 413, refused.text.slice(0, 500));
    assert.match(refused.text, refusal);
  }

  const encodings: readonly (readonly [string, (object: KubeObject) => Buffer | string])[] = [
    ['application/json', (object) => JSON.stringify(object)],
    ['application/yaml', stringifyYaml],
    ['application/vnd.kubernetes.protobuf', (object) => builtinProtobuf.encode(object)],
    ['application/cbor', encodeCbor],
  ];
  for (const [mediaType, encode] of encodings) {
    it(`holds for a body of ${mediaType}`, async () => {
      // In protobuf the kind is in the envelope, and metadata contains empty fields.
      const around = mediaType.endsWith('protobuf') ? protobufMembersAround() - membersAround : 0;
      await holds((members) => send('POST', `${path}?dryRun=All`, mediaType, encode(configMap(members - around))), 201);
    });
  }

  function protobufMembersAround(): number {
    const decoded = builtinProtobuf.decode(builtinProtobuf.encode({ ...configMap(membersAround), data: { a: '' } }));
    const { apiVersion: _version, kind: _kind, ...counted } = decoded;
    return Object.keys(counted).length + Object.keys(counted['metadata'] ?? {}).length;
  }

  it('holds for what aliases of a short YAML text stand for', async () => {
    const list = (length: number) => `[${Array(length).fill('0').join(',')}]`;
    const text = (rest: number) => `a: &a ${list(999)}\nb: [${Array(98).fill('*a').join(',')}]\nc: ${list(rest)}\n`;
    // The members of the root, the items of a and b, and the members of b's items.
    const counted = 3 + 999 + 98 + 98 * 999;
    await holds((members) => send('POST', `${path}?dryRun=All`, 'application/yaml', text(members - counted)), 422);
    assert(text(maxMembers - counted).length < 10_000);
  });

  it('holds for options of a deletion', async () => {
    const options = (members: number) =>
      JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', dryRun: Array(members - 3).fill('') });
    await holds((members) => send('DELETE', `${path}/nobody`, 'application/json', options(members)), 422);
  });

  it('holds for a review', async () => {
    const around = 6;
    const review = (members: number) => ({
      kind: 'SubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      spec: { user: 'a', nonResourceAttributes: {}, groups: Object.keys(items(members - around)) },
    });
    const reviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    await holds((members) => send('POST', reviews, 'application/json', JSON.stringify(review(members))), 201);
  });

  describe('of what a patch makes of an object', () => {
    const stored = 40_000;
    const countOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce<number>((sum, member) => sum + 1 + countOf(member), 0)
        : 0;
    let around: number;
    before(async () => {
      around = countOf(await kubeCore.client.create(core('configmaps', 'default'), configMap(stored)));
    });
    const more = (count: number): Record<string, string> =>
      Object.fromEntries(Object.keys(items(count)).map((key) => [`more-${key}`, '']));
    const patch = (mediaType: string, body: unknown, query = '') =>
      send('PATCH', `${path}/wide?dryRun=All&fieldValidation=Ignore${query}`, mediaType, JSON.stringify(body));

    for (const mediaType of ['application/merge-patch+json', 'application/strategic-merge-patch+json']) {
      it(`holds for ${mediaType}`, () => holds((members) => patch(mediaType, { data: more(members - around) }), 200));
    }
    it('holds for application/json-patch+json', () =>
      // Members that decoding drops are counted too. Copied members are not in the body.
      holds((members) => {
        const [copied, left] = [5_000, members - around - 2];
        return patch('application/json-patch+json', [
          { op: 'add', path: '/one', value: more(copied) },
          { op: 'copy', from: '/one', path: '/two' },
          { op: 'add', path: '/two/rest', value: Array(left - 2 * copied - 1).fill(0) },
        ]);
      }, 200));
    it('holds for application/apply-patch+yaml', async () => {
      const apply = (keys: number) =>
        patch(
          'application/apply-patch+yaml',
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'wide' }, data: more(keys) },
          '&fieldManager=tests',
        );
      // An applied field counts twice, because it is also listed in managedFields.
      const fixed = countOf(JSON.parse((await apply(1)).text)) - 2;
      const most = Math.floor((maxMembers - fixed) / 2);
      assert.equal((await apply(most)).status, 200);
      assert.equal((await apply(most + 1)).status, 413);
    });
    it('lets an object shrink that was larger', async () => {
      const wider = { ...configMap(0, 'wider'), data: items(60_000) };
      await kubeCore.client.create(core('configmaps', 'default'), wider);
      const change = (data: object) =>
        send('PATCH', `${path}/wider`, 'application/merge-patch+json', JSON.stringify({ data }));
      assert.equal((await change({ more: '' })).status, 413);
      assert.equal((await change({ k1: null })).status, 200);
    });
  });
});
