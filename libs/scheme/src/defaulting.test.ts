import assert from 'node:assert/strict';
import { compileDefaults, type DefaultRule } from './defaulting.ts';
import type { Type } from './type.ts';

const string: Type = { kind: 'string' };
const port: Type = { kind: 'object', name: 'v1.Port', fields: [{ name: 'protocol', type: string }] };
const tree: { -readonly [K in keyof Type]: Type[K] } = { kind: 'object', name: 'v1.Tree' };
tree.fields = [
  { name: 'ports', type: { kind: 'array', items: port } },
  { name: 'children', type: { kind: 'map', values: tree } },
  { name: 'name', type: string },
];

const rules = (table: Record<string, DefaultRule[]>) => new Map(Object.entries(table));

describe('compileDefaults', () => {
  it('walks lists, maps and types that contain themselves', () => {
    const setDefaults = compileDefaults(
      rules({ 'v1.Port': [{ path: 'protocol', when: 'empty', value: 'TCP' }] }),
      tree,
    );
    const object = { ports: [{}, { protocol: 'UDP' }], children: { a: { ports: [{ protocol: '' }] } } };
    setDefaults?.(object);
    assert.deepEqual(object, {
      ports: [{ protocol: 'TCP' }, { protocol: 'UDP' }],
      children: { a: { ports: [{ protocol: 'TCP' }] } },
    });
  });

  it('runs the rules of a type in order, before those inside it', () => {
    const seen: string[] = [];
    const note = (name: string, order?: number): DefaultRule => ({
      compute: () => seen.push(name),
      ...(order === undefined ? {} : { order }),
    });
    const table = rules({ 'v1.Tree': [note('second', 2), note('first', 1)], 'v1.Port': [note('port')] });
    compileDefaults(table, tree)?.({ ports: [{}] });
    assert.deepEqual(seen, ['first', 'second', 'port']);
  });

  it('stops at a parent that is unset', () => {
    const setDefaults = compileDefaults(rules({ 'v1.Tree': [{ path: 'a.b', when: 'absent', value: 1 }] }), tree);
    const object = {};
    setDefaults?.(object);
    assert.deepEqual(object, {});
  });

  it('sets copies of values', () => {
    const setDefaults = compileDefaults(rules({ 'v1.Tree': [{ path: 'x', when: 'absent', value: {} }] }), tree);
    const [a, b]: Record<string, unknown>[] = [{}, {}];
    setDefaults?.(a ?? {});
    setDefaults?.(b ?? {});
    assert.notEqual(a?.['x'], b?.['x']);
  });

  it('is undefined when no rule applies', () => {
    assert.equal(compileDefaults(rules({ 'v1.Other': [] }), tree), undefined);
  });
});
