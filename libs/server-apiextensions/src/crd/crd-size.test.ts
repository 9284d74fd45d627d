import assert from 'node:assert/strict';
import { isStatusError } from '@apichain/meta';
import type { CrdSpec, CrdVersion } from '@apichain/schema';
import { checkSize, maxDefinitionMembers, maxDefinitionVersions } from './crd-size.ts';

const spec = (versions: readonly CrdVersion[]): CrdSpec => ({
  group: 'example.com',
  scope: 'Namespaced',
  names: { plural: 'widgets' },
  versions: [...versions],
});
const versions = (count: number) =>
  spec(Array.from({ length: count }, (_, i) => ({ name: `v${i + 1}`, served: true, storage: i === 0 })));
const withEnum = (length: number) => {
  const a = { type: 'string', enum: Array.from({ length }, (_, i) => `e${i}`) };
  const schema = { openAPIV3Schema: { type: 'object', properties: { a } } };
  return spec([{ name: 'v1', served: true, storage: true, schema }]);
};
const check = (now: CrdSpec, before?: CrdSpec) => checkSize(now, before);
const tooLarge = (text: RegExp) => (error: unknown) =>
  isStatusError(error, 'RequestEntityTooLarge') && text.test(error.message);

describe('the size of a CustomResourceDefinition', () => {
  it('has a limit of members, above that of any definition in use', () => {
    check(withEnum(maxDefinitionMembers - 100));
    assert.throws(() => check(withEnum(maxDefinitionMembers)), tooLarge(/at most 60000 members of objects/));
    assert.ok(maxDefinitionMembers > 50_000);
  });

  it('has a limit of versions', () => {
    check(versions(maxDefinitionVersions));
    assert.throws(() => check(versions(maxDefinitionVersions + 1)), tooLarge(/at most 100 versions/));
  });

  it('may stay above the limits or shrink when another program has stored more', () => {
    check(versions(200), versions(200));
    check(withEnum(maxDefinitionMembers + 50), withEnum(maxDefinitionMembers + 60));
    assert.throws(() => check(versions(201), versions(200)), tooLarge(/versions/));
    assert.throws(() => check(withEnum(70_000), withEnum(65_000)), tooLarge(/members/));
  });
});
