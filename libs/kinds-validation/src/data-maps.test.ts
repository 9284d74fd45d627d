import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { decodeObject } from '@apichain/scheme';
import { builtinTypes } from '@apichain/kinds';
import { lines } from './common/errors.fixture.ts';
import { validationFor } from './common/validation-for.fixture.ts';
import { defaultCapabilities } from './pod/context.ts';

describe('config maps', () => {
  it('tells an empty map of an immutable object from an absent one', () => {
    const type = builtinTypes.type('core.v1.ConfigMap');
    const map = (more: object) =>
      decodeObject({ metadata: { name: 'm' }, data: { a: 'b' }, immutable: true, ...more }, type).object as KubeObject;
    const update = validationFor('configmaps').update;
    assert.deepEqual(lines(update?.(map({}), map({}), defaultCapabilities) ?? []), []);
    assert.deepEqual(lines(update?.(map({ binaryData: {} }), map({}), defaultCapabilities) ?? []), [
      'binaryData: Forbidden: field is immutable when `immutable` is set',
    ]);
  });
});
