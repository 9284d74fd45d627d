import assert from 'node:assert/strict';
import { DeferredRestMapper } from './deferred-rest-mapper.ts';
import { mappingsOfResourceList } from './discovered.ts';

const document = {
  kind: 'APIResourceList',
  groupVersion: 'example.com/v1',
  resources: [
    { name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', verbs: ['get'] },
    { name: 'widgets/scale', singularName: '', namespaced: true, kind: 'Scale', verbs: ['get'] },
  ],
};
const widget = { group: 'example.com', version: 'v1', kind: 'Widget' };

describe('DeferredRestMapper', () => {
  const served = { document: document as unknown };
  let asked: string[] = [];
  let time = 0;
  const newMapper = () => {
    asked = [];
    time = 0;
    served.document = document;
    return new DeferredRestMapper({
      discover: ({ group, version }) => {
        asked.push(`${group}/${version}`);
        return Promise.resolve(mappingsOfResourceList(served.document));
      },
      now: () => time,
    });
  };

  it('discovers a group-version that has the kind once in 30 s', async () => {
    const mapper = newMapper();
    const found = await mapper.mappingOf(widget);
    assert.equal(found?.resource, 'widgets');
    assert.equal(found.scope, 'Namespaced');
    time = 29_999;
    await mapper.mappingOf(widget);
    assert.deepEqual(asked, ['example.com/v1']);
    time = 30_000;
    served.document = undefined;
    assert.equal(await mapper.mappingOf(widget), undefined);
    assert.equal(asked.length, 2);
  });

  it('repeats discovery for a kind that was not found', async () => {
    const mapper = newMapper();
    served.document = undefined;
    assert.equal(await mapper.mappingOf(widget), undefined);
    served.document = document;
    assert.equal((await mapper.mappingOf(widget))?.resource, 'widgets');
  });

  it('does not map the kind of a subresource to a resource', async () => {
    assert.equal(await newMapper().mappingOf({ ...widget, kind: 'Scale' }), undefined);
  });

  it('is empty after a reset', async () => {
    const mapper = newMapper();
    await mapper.mappingOf(widget);
    mapper.reset();
    served.document = undefined;
    assert.equal(await mapper.mappingOf(widget), undefined);
  });
});
