import assert from 'node:assert/strict';
import { AggregatorOpenApi } from './chain-documents.ts';
import { RemoteOpenApi } from './remote-documents.ts';

const bytes = (document: unknown) => Buffer.from(JSON.stringify(document));
const responseOf = (name: string) => ({ 200: { schema: { $ref: `#/definitions/${name}` } } });

describe('OpenAPI documents of extension API servers', () => {
  it('speak for the paths of their APIService and what these need', async () => {
    const documents = new RemoteOpenApi();
    assert.equal(documents.v3Paths().size, 0);
    const v2 = bytes({
      swagger: '2.0',
      paths: {
        '/apis/fruit.io/v1/fruits': { get: { responses: responseOf('Fruit') } },
        '/apis/apps/v1/deployments': { get: { responses: responseOf('Stolen') } },
      },
      definitions: { Fruit: { properties: { seed: { $ref: '#/definitions/Seed' } } }, Seed: {}, Stolen: {} },
    });
    documents.set('v1.fruit.io', { path: 'apis/fruit.io/v1', revision: '1', v2, v3: bytes({ openapi: '3.0.0' }) });
    const merged = await documents.v2();
    assert.deepEqual(Object.keys(merged['paths'] ?? {}), ['/apis/fruit.io/v1/fruits']);
    assert.deepEqual(Object.keys(merged['definitions'] ?? {}), ['Fruit', 'Seed']);
    assert.deepEqual([...documents.v3Paths()], [['apis/fruit.io/v1', '1']]);
    assert.deepEqual(await documents.v3('apis/fruit.io/v1'), { openapi: '3.0.0' });
    documents.remove('v1.fruit.io');
    assert.equal(documents.v3Paths().size, 0);
  });

  it('stand beside those of APIServices', async () => {
    const remote = new RemoteOpenApi();
    const source = new AggregatorOpenApi(remote);
    const own = ['apis/apiregistration.k8s.io', 'apis/apiregistration.k8s.io/v1'];
    assert.deepEqual([...source.v3Paths().keys()], own);
    remote.set('v1.fruit.io', { path: 'apis/fruit.io/v1', revision: '1', v3: bytes({ openapi: '3.0.0' }) });
    assert.deepEqual([...source.v3Paths().keys()], [...own, 'apis/fruit.io/v1']);
    assert.deepEqual(await source.v3('apis/fruit.io/v1'), { openapi: '3.0.0' });
    for (const path of own) {
      const paths = Object.keys((await source.v3(path))['paths'] ?? {});
      assert.ok(paths.length > 0 && paths.every((each) => each.startsWith('/apis/apiregistration.k8s.io/')), path);
    }
    const { paths, definitions } = await source.v2();
    assert.ok(Object.keys(paths ?? {}).includes('/apis/apiregistration.k8s.io/v1/apiservices/{name}/status'));
    const defined = 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService';
    assert.ok(Object.keys(definitions ?? {}).includes(defined));
  });
});
