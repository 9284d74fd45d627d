import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import type { Field, Type } from '@apichain/scheme';
import fc from 'fast-check';
import { FieldManager } from './field-manager.ts';
import {
  difference,
  equalSets,
  hasPath,
  intersection,
  isEmpty,
  parseFieldsV1,
  paths,
  setOf,
  toFieldsV1,
  union,
} from './field-set.ts';

const string: Type = { kind: 'string' };

const makeObject = (fields: Record<string, Type>): Type => {
  const list: Field[] = Object.entries(fields).map(([name, type]) => ({ name, type }));
  return { kind: 'object', fields: list, byName: new Map(list.map((field) => [field.name, field])) };
};

const type = makeObject({
  apiVersion: string,
  kind: string,
  metadata: makeObject({ name: string, labels: { kind: 'map', values: string } }),
  spec: makeObject({
    a: string,
    b: { kind: 'integer' },
    set: { kind: 'array', items: string, listType: 'set' },
    map: { kind: 'array', items: makeObject({ k: string, v: string }), listType: 'map', listMapKeys: ['k'] },
    atomic: { kind: 'array', items: string },
    nested: makeObject({ x: string, y: { kind: 'map', values: string } }),
  }),
});

const letter = fc.constantFrom('p', 'q', 'r');
const optional = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] });
/** Empty sets and keyed lists are not generated, because they have no owner. */
const spec = optional({
  a: letter,
  b: fc.integer({ min: 0, max: 3 }),
  set: fc.uniqueArray(letter, { minLength: 1, maxLength: 3 }),
  map: fc.uniqueArray(fc.record({ k: letter, v: letter }), { selector: (item) => item.k, minLength: 1, maxLength: 3 }),
  atomic: fc.array(letter, { maxLength: 3 }),
  nested: optional({ x: letter, y: fc.dictionary(letter, letter) }),
});
/** Configurations of managers that share no fields. */
const lower = optional({ a: letter, map: fc.constant([{ k: 'p', v: 'x' }]), nested: optional({ x: letter }) });
const upper = optional({ b: fc.nat(3), map: fc.constant([{ k: 'q', v: 'x' }]), set: fc.constant(['q']) });

const manager = new FieldManager({
  type,
  groupVersionKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
  now: () => 0,
});
const configuration = (content: object): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'x' },
  spec: content,
});

const elements = fc.constantFrom('f:a', 'f:b', 'k:{"k":"p"}', 'v:"p"', 'i:0');
const path = fc.array(elements, { minLength: 1, maxLength: 4 });
const fieldSet = fc.array(path, { maxLength: 12 }).map((members) => setOf(members));

describe('apply', () => {
  it('is idempotent', async () => {
    await fc.assert(
      fc.asyncProperty(spec, spec, async (first, second) => {
        const live = await manager.apply(undefined, configuration(first), 'other', true);
        const once = await manager.apply(live, configuration(second), 'one', true);
        assert.deepEqual(await manager.apply(once, configuration(second), 'one', false), once);
      }),
    );
  });

  it('is independent of the order of managers without common fields', async () => {
    const sortedItems = (object: KubeObject): unknown => {
      const items: unknown = (object['spec'] as { map?: unknown } | undefined)?.map;
      return {
        ...(object['spec'] as object),
        map: Array.isArray(items) ? items.map((i) => JSON.stringify(i)).sort() : items,
      };
    };
    await fc.assert(
      fc.asyncProperty(lower, upper, async (one, two) => {
        const apply = (live: KubeObject | undefined, content: object, name: string) =>
          manager.apply(live, configuration(content), name, false);
        const oneFirst = await apply(await apply(undefined, one, 'one'), two, 'two');
        const twoFirst = await apply(await apply(undefined, two, 'two'), one, 'one');
        assert.deepEqual(sortedItems(oneFirst), sortedItems(twoFirst));
        assert.deepEqual(owners(oneFirst), owners(twoFirst));
      }),
    );
  });

  it('removes fields without an owner', async () => {
    await fc.assert(
      fc.asyncProperty(spec, spec, async (first, second) => {
        const live = await manager.apply(undefined, configuration(first), 'one', true);
        const after = await manager.apply(live, configuration(second), 'one', true);
        const fresh = await manager.apply(undefined, configuration(second), 'one', true);
        assert.deepEqual(withoutNulls(after['spec']) ?? {}, withoutNulls(fresh['spec']) ?? {});
      }),
    );
  });

  it('never takes from another manager without force', async () => {
    await fc.assert(
      fc.asyncProperty(spec, spec, async (first, second) => {
        const live = await manager.apply(undefined, configuration(first), 'one', true);
        try {
          const after = await manager.apply(live, configuration(second), 'two', false);
          const mine = (object: KubeObject) =>
            object.metadata.managedFields?.find((entry) => entry.manager === 'one')?.fieldsV1;
          assert.deepEqual(mine(after), mine(live));
        } catch (error) {
          assert.match(String(error), /Apply failed with/);
        }
      }),
    );
  });
});

describe('update', () => {
  it('assigns every field of a new object, and is idempotent', async () => {
    await fc.assert(
      fc.asyncProperty(spec, async (content) => {
        const created = await manager.update(undefined, configuration(content), 'one');
        assert.deepEqual(await manager.update(created, created, 'two'), created);
      }),
    );
  });
});

describe('field sets', () => {
  it('satisfy the laws of sets', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, path, (a, b, member) => {
        const inA = hasPath(a, member);
        const inB = hasPath(b, member);
        assert.equal(hasPath(union(a, b), member), inA || inB);
        assert.equal(hasPath(intersection(a, b), member), inA && inB);
        assert.equal(hasPath(difference(a, b), member), inA && !inB);
        assert.ok(equalSets(union(a, b), union(b, a)));
        assert.ok(isEmpty(difference(a, a)));
      }),
    );
  });

  it('round-trip through FieldsV1, in order', () => {
    fc.assert(
      fc.property(fieldSet, (set) => {
        const written = toFieldsV1(set);
        assert.ok(equalSets(parseFieldsV1(written), set));
        assert.equal(JSON.stringify(toFieldsV1(setOf(paths(set).reverse()))), JSON.stringify(written));
      }),
    );
  });
});

const owners = (object: KubeObject): [string | undefined, unknown][] =>
  (object.metadata.managedFields ?? [])
    .map((entry): [string | undefined, unknown] => [entry.manager, entry.fieldsV1])
    .sort(([a = ''], [b = '']) => a.localeCompare(b));

/** Emptied containers remain as null in a custom resource; the decoder removes nulls. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .map(([key, member]) => [key, withoutNulls(member)] as const)
    .filter(([, member]) => member !== null && !isEmptyContainer(member));
  return Object.fromEntries(members);
}

const isEmptyContainer = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
