import assert from 'node:assert/strict';
import { builtinGroupVersions, builtinType, storageVersion } from '@apichain/kinds';
import type { Type } from '@apichain/scheme';
import type { KindBehaviour } from './behaviour.ts';
import type { GatedFields } from './gated-fields.ts';
import { behaviourOf } from './table.ts';

/** The path segments that the type does not have: fields, or elements of a value that is neither list nor map. */
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

/** The field paths that a row names; `*` and `labels` in `generation` are not paths. */
const pathsOf = (behaviour: KindBehaviour): string[] => [
  ...(behaviour.generation ?? []).filter((name) => name !== '*' && name !== 'labels'),
  ...(behaviour.resetFields ?? []),
  ...gatedPaths(behaviour.gated),
  ...subresourcePaths(behaviour),
];

describe('rows of kinds', () => {
  it('name existing fields', () => {
    let paths = 0;
    const unknown = builtinGroupVersions.flatMap(({ group, resources }) =>
      resources.flatMap(({ info }) => {
        // Strategies receive objects in the storage version.
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
