import assert from 'node:assert/strict';
import type { JsonObject } from '@apichain/meta';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import { structOf } from './struct.fixture.ts';
import type { Type } from './type.ts';

const string: Type = { kind: 'string' };
const element = structOf('v1.Element', [
  { name: 'name', type: string },
  { name: 'value', type: string },
  { name: 'args', type: { kind: 'array', items: string } },
]);
const thing = structOf('v1.Thing', [
  { name: 'items', type: { kind: 'array', items: element }, patchStrategy: ['merge'], patchMergeKey: 'name' },
  { name: 'set', type: { kind: 'array', items: string }, patchStrategy: ['merge'] },
  { name: 'atomic', type: { kind: 'array', items: element } },
  { name: 'whole', type: element, patchStrategy: ['replace'] },
  { name: 'labels', type: { kind: 'map', values: string } },
  { name: 'raw', type: { kind: 'rawExtension', name: 'runtime.RawExtension' } },
  { name: 'keyless', type: { kind: 'array', items: element }, patchStrategy: ['merge'] },
]);

const patch = (original: JsonObject, change: JsonObject) =>
  applyStrategicMergePatch(original, structuredClone(change), thing);
const refuses = (original: JsonObject, change: JsonObject, message: string, code = 500) =>
  assert.throws(() => patch(original, change), { message, code });
const names = (list: unknown) => (list as { name: string }[]).map((item) => item.name).join('');
const items = (text: string) => [...text].map((name) => ({ name }));

describe('applyStrategicMergePatch', () => {
  it('merges elements by key and puts new ones first', () => {
    const result = patch(
      { items: [{ name: 'a', value: '1', args: ['x'] }] },
      { items: [{ name: 'b' }, { name: 'a', value: '2' }] },
    );
    assert.deepEqual(result['items'], [{ name: 'b' }, { name: 'a', value: '2', args: ['x'] }]);
  });

  it('replaces lists without a merge strategy', () => {
    assert.deepEqual(patch({ atomic: items('ab') }, { atomic: items('c') }), { atomic: items('c') });
    assert.deepEqual(patch({ whole: { name: 'a', value: '1' } }, { whole: { name: 'b' } }), { whole: { name: 'b' } });
  });

  it('changes neither argument', () => {
    const original = { items: [{ name: 'a', value: '1' }], labels: { a: '1' } };
    const change = { items: [{ name: 'a', value: '2', $patch: 'delete' }], labels: { $patch: 'replace', b: '2' } };
    const copies = structuredClone([original, change]);
    patch(original, change);
    assert.deepEqual([original, change], copies);
  });

  it('obeys $patch in maps', () => {
    assert.deepEqual(patch({ labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } }), { labels: { b: '2' } });
    assert.deepEqual(patch({ labels: { a: '1' } }, { labels: { $patch: 'delete' } }), { labels: {} });
    refuses({ labels: { a: '1' } }, { labels: { $patch: 'x' } }, 'unknown patch type: x in map: map[$patch:x]');
  });

  it('obeys $patch in list elements', () => {
    assert.equal(names(patch({ items: items('abc') }, { items: [{ name: 'b', $patch: 'delete' }] })['items']), 'ac');
    assert.equal(names(patch({ items: items('ab') }, { items: [{ $patch: 'replace' }, { name: 'z' }] })['items']), 'z');
    refuses(
      { items: items('a') },
      { items: [{ $patch: 'merge' }] },
      'merging lists cannot yet be specified in the patch',
    );
  });

  it('drops directives without a target', () => {
    assert.deepEqual(
      patch({}, { labels: { $patch: 'delete' }, items: [{ name: 'a', $patch: 'delete' }, { name: 'b' }] }),
      {
        items: items('b'),
      },
    );
    assert.deepEqual(patch({}, { labels: { a: null, b: '1' } }), { labels: { b: '1' } });
  });

  it('deletes members that are null', () => {
    assert.deepEqual(patch({ labels: { a: '1', b: '2' }, set: ['x'] }, { labels: { a: null }, set: null, raw: null }), {
      labels: { b: '2' },
    });
  });

  it('keeps what $retainKeys lists', () => {
    const whole = structOf('v1.Holder', [{ name: 'element', type: element, patchStrategy: ['retainKeys'] }]);
    const change = { element: { $retainKeys: ['name'], name: 'b' } };
    assert.deepEqual(applyStrategicMergePatch({ element: { name: 'a', value: '1' } }, change, whole), {
      element: { name: 'b' },
    });
    const message = 'invalid patch format of retainKeys';
    refuses({ labels: { a: '1' } }, { labels: { $retainKeys: ['a'], b: '1' } }, message, 400);
    refuses({ labels: { a: '1' } }, { labels: { $retainKeys: 'a' } }, message, 400);
  });

  it('merges and prunes lists of scalars', () => {
    assert.deepEqual(patch({ set: ['a', 'b'] }, { set: ['c', 'a'] })['set'], ['c', 'a', 'b']);
    assert.deepEqual(patch({ set: ['a', 'b'] }, { '$deleteFromPrimitiveList/set': ['a', 'x'] })['set'], ['b']);
    refuses({ set: ['a'] }, { $deleteFromPrimitiveListx: ['a'] }, 'invalid patch format of primitive list', 400);
    refuses({ set: ['a'] }, { set: [1] }, 'list element types are not identical: [[a] [1]]');
  });

  it('orders lists by $setElementOrder, keeping the place of elements it does not name', () => {
    const order = (text: string) => ({ '$setElementOrder/items': items(text) });
    assert.equal(names(patch({ items: items('abc') }, order('cb'))['items']), 'acb');
    assert.equal(names(patch({ items: items('ab') }, { ...order('cba'), items: items('c') })['items']), 'cba');
    refuses(
      { items: items('ab') },
      { ...order('ab'), items: items('c') },
      "The order in patch list:\n[map[name:c]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
    );
    refuses({}, { '$setElementOrder/items': 'x' }, 'expected a []interface {}, but received a string');
    refuses(
      {},
      { '$setElementOrder/items': ['a'], items: [{ value: '1' }] },
      'expected a map[string]interface {}, but received a string',
    );
    refuses({}, { $setElementOrder: [] }, 'invalid patch format of setElementOrder list', 400);
  });

  it('orders additions that replace deletions as existing elements', () => {
    const change = (order: string, list: JsonObject[]) => ({ '$setElementOrder/items': items(order), items: list });
    const gone = { $patch: 'delete', name: 'a' };
    const moved = patch({ items: items('abd') }, change('bc', [{ name: 'c' }, gone]));
    assert.equal(names(moved['items']), 'bdc');
    const conflicting = patch({ items: items('ad') }, change('bc', [{ name: 'b' }, { name: 'c' }, gone]));
    assert.equal(names(conflicting['items']), 'dbc');
    assert.equal(names(patch({ items: items('ab') }, change('', items('c')))['items']), 'abc');
  });

  it('refuses values that the type does not allow', () => {
    refuses(
      { items: items('a') },
      { items: [{ value: '1' }] },
      'map: map[value:1] does not contain declared merge key: name',
    );
    refuses({ keyless: items('a') }, { keyless: items('b') }, 'cannot merge lists without merge key for struct');
    refuses({ bogus: {} }, { bogus: { a: 1 } }, 'unable to find api field in struct Thing for the json field "bogus"');
    refuses(
      { raw: { a: {} } },
      { raw: { a: { b: 1 } } },
      'unable to find api field in struct RawExtension for the json field "a"',
    );
    refuses({ items: [['a']] }, { items: [['b']] }, 'lists of lists are not supported', 422);
  });
});
