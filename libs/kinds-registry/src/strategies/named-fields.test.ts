import assert from 'node:assert/strict';
import { builtinGroupVersions, builtinType, storageVersion } from '@apichain/kinds';
import type { Type } from '@apichain/scheme';
import type { KindBehaviour } from './behaviour.ts';
import type { GatedFields } from './gated-fields.ts';
import { behaviourOf } from './table.ts';

/** The segments of a path that the type does not have: fields, or the elements of what is no list and no map. */
function unknownSegments(type: Type, [names = '', ...rest]: readonly string[]): string[] {
  return names.split('|').flatMap((name) => {
    const member = name === '*' ? (type.items ?? type.values) : type.byName?.get(name)?.type;
    if (member === undefined) return [`${name} of ${type.name ?? type.kind}`];
    return rest.length === 0 ? [] : unknownSegments(member, rest);
  });
}

const gatedPaths = (gated: readonly GatedFields[] = []): string[] =>
  gated.flatMap(({ paths, usedAt = [] }) => [...paths, ...usedAt]);

const subresourcePaths = ({ subresources = {} }: KindBehaviour): string[] =>
  Object.values(subresources).flatMap(({ fromOld, resetFields, gated }) => [
    ...fromOld,
    ...resetFields,
    ...gatedPaths(gated),
  ]);

/** What a row says by names of fields; `*` and `labels` of `generation` are none. */
const pathsOf = (behaviour: KindBehaviour): string[] => [
  ...(behaviour.generation ?? []).filter((name) => name !== '*' && name !== 'labels'),
  ...(behaviour.resetFields ?? []),
  ...gatedPaths(behaviour.gated),
  ...subresourcePaths(behaviour),
];

describe('rows of kinds', () => {
  it('name fields that the kinds have', () => {
    let paths = 0;
    const unknown = builtinGroupVersions.flatMap(({ group, resources }) =>
      resources.flatMap(({ info }) => {
        // Strategies see objects in the version that is stored.
        const type = builtinType({ ...storageVersion(group, info.plural), kind: info.kind.kind });
        return pathsOf(behaviourOf(group, info.plural)).flatMap((path) => {
          paths++;
          return type === undefined ? [path] : unknownSegments(type, path.split('.'));
        });
      }),
    );
    assert.deepEqual(unknown, []);
    assert.ok(paths > 300, `${paths} paths`);
  });
});
