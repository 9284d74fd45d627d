import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FieldManager } from '@apichain/managed-fields';
import { formatGroupVersion, type KubeObject } from '@apichain/meta';
import { builtinGroupVersions } from './resources.ts';
import { valuesOf } from './typed-values.fixture.ts';
import { builtinType } from './types.ts';

const isFields = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

describe('managedFields of created objects', () => {
  it('do not depend on what was created before', async () => {
    for (const { info } of builtinGroupVersions.flatMap(({ resources }) => resources)) {
      const type = builtinType(info.kind);
      if (type === undefined) continue;
      const fresh = () => new FieldManager({ type, groupVersionKind: info.kind, now: () => 0 });
      const old = fresh();
      const objects = valuesOf(type, 4).map((value): KubeObject => ({
        ...(isFields(value) ? value : {}),
        apiVersion: formatGroupVersion(info.kind),
        kind: info.kind.kind,
        metadata: { name: 'a' },
      }));
      const check = async (object: KubeObject) =>
        assert.deepEqual(await old.update(undefined, object, 'm'), await fresh().update(undefined, object, 'm'));
      await fc.assert(fc.asyncProperty(objects, check), { numRuns: 40 });
    }
  });
});
