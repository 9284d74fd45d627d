import assert from 'node:assert/strict';
import { field, newForbidden, type KubeObject } from '@apichain/meta';
import { Type } from 'typebox';
import { defineResource } from './resource/definition.ts';
import { TestApiServer } from './server.fixture.ts';

const replicas = Type.Integer({ default: 1, minimum: 0 });
const status = Type.Optional(
  Type.Object({ ready: Type.Optional(Type.Integer()), selector: Type.Optional(Type.String()) }),
);

const shops = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Shop',
  plural: 'shops',
  scope: 'Namespaced',
  shortNames: ['sh'],
  schema: Type.Object({
    spec: Type.Object({ owner: Type.String({ maxLength: 10 }), street: Type.Optional(Type.String()), replicas }),
    status,
  }),
  columns: [{ name: 'Owner', type: 'string', jsonPath: '.spec.owner' }],
  selectableFields: ['spec.owner'],
  status: true,
  scale: {
    specReplicasPath: 'spec.replicas',
    statusReplicasPath: 'status.ready',
    labelSelectorPath: 'status.selector',
  },
  defaults: (shop) => {
    shop.spec.street ??= 'Main Street';
  },
  prepareForCreate: (shop, ctx) => {
    shop.metadata.annotations = { 'example.com/by': ctx.user.name };
  },
  prepareForUpdate: (shop, old) => {
    if (old.spec.owner === 'fixed') shop.spec.owner = 'fixed';
  },
  validate: (shop) => (shop.spec.owner === 'nobody' ? [field.invalid('spec.owner', 'nobody', 'must be somebody')] : []),
  validateUpdate: (shop, old) =>
    shop.spec.replicas < old.spec.replicas - 5 ? [field.forbidden('spec.replicas', 'may fall by 5')] : [],
  versions: [
    {
      version: 'v1beta1',
      schema: Type.Object({ spec: Type.Object({ address: Type.String(), replicas }), status }),
      deprecated: true,
      columns: [{ name: 'Address', type: 'string', jsonPath: '.spec.address' }],
      toStorage: ({ spec, ...rest }) => {
        const [owner = '', street = ''] = spec.address.split('@');
        return { ...rest, spec: { owner, street, replicas: spec.replicas } };
      },
      fromStorage: ({ spec, ...rest }) => ({
        ...rest,
        spec: { address: `${spec.owner}@${spec.street ?? ''}`, replicas: spec.replicas },
      }),
    },
  ],
});

const v1 = { group: 'example.com', version: 'v1', resource: 'shops', namespace: 'default' };
const beta = { ...v1, version: 'v1beta1' };
const shop = (name: string, spec: object, version = 'v1'): KubeObject => ({
  ...{ apiVersion: `example.com/${version}`, kind: 'Shop', metadata: { name, namespace: 'default' } },
  spec,
});
const denied = { group: 'example.com', resource: 'shops' };

describe('stored resources of a program', () => {
  const server = new TestApiServer({
    resources: [shops],
    admission: () => [
      {
        name: 'NoDemo',
        handles: new Set(['CREATE']),
        validate: ({ name }) => {
          if (name === 'demo') throw newForbidden(denied, name, 'shops are not called demo');
        },
      },
    ],
  });
  const create = (name: string, spec: object) => server.client.create(v1, shop(name, spec));

  it('have defaults of the schema and of the definition, and what the hook of a create sets', async () => {
    const made = await create('defaults', { owner: 'ann' });
    assert.deepEqual(made.spec, { owner: 'ann', street: 'Main Street', replicas: 1 });
    assert.deepEqual(made.metadata.annotations, { 'example.com/by': 'system:apiserver' });
    assert.equal(made.metadata.generation, 1);
  });

  it('are validated by the schema first, then by the functions of the definition', async () => {
    await assert.rejects(create('bad', { owner: 'much too long' }), { message: /spec\.owner: Too long/ });
    await assert.rejects(create('bad', { owner: 'nobody' }), {
      message: 'Shop.example.com "bad" is invalid: spec.owner: Invalid value: "nobody": must be somebody',
    });
    const made = await create('changes', { owner: 'ann', replicas: 9 });
    const changed = { ...made, spec: { owner: 'ann', replicas: 1 } };
    await assert.rejects(server.client.update(v1, changed), { message: /spec\.replicas: Forbidden: may fall by 5/ });
  });

  it('pass the admission plugins of the program', async () => {
    await assert.rejects(create('demo', { owner: 'ann' }), { message: /is forbidden: shops are not called demo/ });
  });

  it('do not count a change that a hook has undone', async () => {
    const made = await create('fixed', { owner: 'fixed' });
    const updated = await server.client.patch(v1, 'fixed', 'merge', { spec: { owner: 'bob' } });
    assert.deepEqual(updated.spec, made.spec);
    assert.equal(updated.metadata.generation, 1);
    const scaled = await server.client.patch(v1, 'fixed', 'merge', { spec: { replicas: 2 } });
    assert.equal(scaled.metadata.generation, 2);
  });

  it('are served in every version', async () => {
    await create('versions', { owner: 'ann', street: 'Side Street', replicas: 3 });
    const old = await server.client.get(beta, 'versions');
    assert.deepEqual(old.spec, { address: 'ann@Side Street', replicas: 3 });
    const updated = await server.client.update(beta, { ...old, spec: { address: 'bob@Side Street', replicas: 3 } });
    assert.deepEqual(updated.spec, { address: 'bob@Side Street', replicas: 3 });
    assert.deepEqual((await server.client.get(v1, 'versions')).spec, {
      owner: 'bob',
      street: 'Side Street',
      replicas: 3,
    });
    const { items } = await server.client.list(beta);
    assert.ok(
      items.every(({ apiVersion, spec }) => apiVersion === 'example.com/v1beta1' && 'address' in (spec as object)),
    );
  });

  it('are applied with server-side apply, with conflicts', async () => {
    const query = (fieldManager: string) => ({ query: { fieldManager } });
    await server.client.patch(v1, 'applied', 'apply', shop('applied', { owner: 'ann' }), query('one'));
    const other = server.client.patch(v1, 'applied', 'apply', shop('applied', { owner: 'bob' }), query('two'));
    await assert.rejects(other, { message: /conflict with "one": \.spec\.owner/ });
  });

  it('have a status and a scale', async () => {
    await create('scaled', { owner: 'ann' });
    const ready = { status: { ready: 1, selector: 'a=b' } };
    await server.client.patch(v1, 'scaled', 'merge', ready);
    assert.equal((await server.client.get(v1, 'scaled'))['status'], undefined);
    await server.client.patch(v1, 'scaled', 'merge', ready, { subresource: 'status' });
    const scale = await server.client.patch(v1, 'scaled', 'merge', { spec: { replicas: 4 } }, { subresource: 'scale' });
    assert.deepEqual([scale.spec, scale['status']], [{ replicas: 4 }, { replicas: 1, selector: 'a=b' }]);
    assert.deepEqual((await server.client.get(v1, 'scaled')).spec, {
      owner: 'ann',
      street: 'Main Street',
      replicas: 4,
    });
  });

  it('are selected by fields', async () => {
    await create('selected', { owner: 'selected' });
    const { items } = await server.client.list(v1, { fieldSelector: 'spec.owner=selected' });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['selected'],
    );
    await assert.rejects(server.client.list(v1, { fieldSelector: 'spec.street=a' }), {
      message: /field label not supported/,
    });
  });

  it('are in discovery and in OpenAPI, with their versions in the order of priority', async () => {
    const group = await server.client.request('GET', '/apis/example.com');
    assert.deepEqual(
      (group as { versions: { version: string }[] }).versions.map(({ version }) => version),
      ['v1', 'v1beta1'],
    );
    const { resources } = (await server.client.request('GET', '/apis/example.com/v1')) as {
      resources: { name: string }[];
    };
    assert.deepEqual(
      resources.map(({ name }) => name),
      ['shops', 'shops/scale', 'shops/status'],
    );
    const v3 = (await server.client.request('GET', '/openapi/v3/apis/example.com/v1')) as {
      components: { schemas: Record<string, unknown> };
    };
    assert.ok('com.example.v1.Shop' in v3.components.schemas);
  });

  it('warn clients of a deprecated version', async () => {
    const warned = await server.client.request('GET', '/apis/example.com/v1beta1');
    assert.equal((warned as { groupVersion: string }).groupVersion, 'example.com/v1beta1');
  });
});

describe('definitions of resources', () => {
  const names = { group: 'example.com', version: 'v1', kind: 'Shop', plural: 'shops', scope: 'Cluster' } as const;

  it('are refused where a CustomResourceDefinition would be', async () => {
    const { createApiServer } = await import('./server.ts');
    const start = (definition: ReturnType<typeof defineResource>) =>
      createApiServer({ name: 'test', resources: [definition] }).start(['--memory', '--secure-port=0']);
    const wrongName = defineResource({ ...names, plural: 'Shops', schema: Type.Object({}) });
    await assert.rejects(start(wrongName), { message: /^resource Shops\.example\.com: spec\.names\.plural: / });
    const noField = defineResource({ ...names, schema: Type.Object({}), selectableFields: ['spec.owner'] });
    await assert.rejects(start(noField), { message: /selectableFields\[0\]\.jsonPath/ });
    await assert.rejects(
      createApiServer({
        name: 'test',
        resources: [1, 2].map(() => defineResource({ ...names, schema: Type.Object({}) })),
      }).start(['--memory', '--secure-port=0']),
      { message: 'example.com/v1 shops is defined twice' },
    );
  });
});
