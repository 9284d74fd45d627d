import assert from 'node:assert/strict';
import { Type } from 'typebox';
import { defineResource } from './resource/definition.ts';
import { TestApiServer } from './server.fixture.ts';
import { createApiServer } from './server.ts';

const names = { group: 'example.com', kind: 'Shop', plural: 'shops', scope: 'Namespaced' } as const;
const owner = Type.Object({ owner: Type.String() });
const holder = Type.Object({ holder: Type.String() });
const holderVersion = {
  schema: holder,
  toStorage: ({ holder }: { holder: string }) => ({ owner: holder }),
  fromStorage: ({ owner }: { owner: string }) => ({ holder: owner }),
};

describe('versions that are not served', () => {
  const server = new TestApiServer({
    resources: [
      defineResource({
        ...{ ...names, version: 'v2', served: false, schema: owner },
        versions: [
          { ...holderVersion, version: 'v1' },
          { ...holderVersion, version: 'v1beta1', deprecated: true },
          { ...holderVersion, version: 'v1alpha2', deprecated: 'v1alpha2 ends in May' },
          { ...holderVersion, version: 'v1alpha1', served: false },
        ],
      }),
    ],
  });
  const shops = (version: string) => ({ group: 'example.com', version, resource: 'shops', namespace: 'default' });

  it('may be the storage version', async () => {
    const shop = { apiVersion: 'example.com/v1', kind: 'Shop', metadata: { name: 'a' }, holder: 'ann' };
    assert.equal((await server.client.create(shops('v1'), shop))['holder'], 'ann');
    assert.equal((await server.client.get(shops('v1beta1'), 'a'))['holder'], 'ann');
  });

  it('are in no document, and requests for them are not found', async () => {
    const group = JSON.parse(await server.text('/apis/example.com')) as {
      versions: { version: string }[];
      preferredVersion: { version: string };
    };
    assert.deepEqual(
      group.versions.map(({ version }) => version),
      ['v1', 'v1beta1', 'v1alpha2'],
    );
    assert.equal(group.preferredVersion.version, 'v1');
    const { paths } = JSON.parse(await server.text('/openapi/v3')) as { paths: Record<string, unknown> };
    const ofGroup = Object.keys(paths).filter((path) => path.startsWith('apis/example.com/'));
    assert.deepEqual(
      ofGroup.sort(),
      ['v1', 'v1alpha2', 'v1beta1'].map((version) => `apis/example.com/${version}`),
    );
    for (const version of ['v2', 'v1alpha1'])
      await assert.rejects(server.client.list(shops(version)), { code: 404 }, version);
  });

  it('are not recommended by the warning of a deprecated version, which may have a text of its own', async () => {
    assert.equal(await server.warning('/apis/example.com/v1/namespaces/default/shops'), undefined);
    assert.equal(
      await server.warning('/apis/example.com/v1beta1/namespaces/default/shops'),
      '299 - "example.com/v1beta1 Shop is deprecated; use example.com/v1 Shop"',
    );
    assert.equal(
      await server.warning('/apis/example.com/v1alpha2/namespaces/default/shops'),
      '299 - "v1alpha2 ends in May"',
    );
  });

  it('may not be all versions of a resource', async () => {
    const hidden = defineResource({ ...names, version: 'v1', served: false, schema: owner });
    await assert.rejects(
      createApiServer({ name: 'test', resources: [hidden] }).start(['--memory', '--secure-port=0']),
      {
        message: 'resource shops.example.com: no version is served',
      },
    );
  });
});
