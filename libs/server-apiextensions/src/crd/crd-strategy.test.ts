import assert from 'node:assert/strict';
import { internalContext } from '@apichain/apiserver';
import { celRules } from '@apichain/cel';
import { metadataRules, objectMetaType } from '@apichain/custom-resources';
import { isStatusError } from '@apichain/meta';
import type { CustomResourceDefinition, JsonSchemaProps, CrdSpec, CrdVersion } from '@apichain/schema';
import { CrdChecks } from './crd-checks.ts';
import { crdStrategy, checkSize, maxDefinitionMembers, maxDefinitionVersions } from './crd-strategy.ts';
import { widgets } from './widgets.fixture.ts';

const checks = new CrdChecks({ metadata: metadataRules, rules: celRules }, { objectMeta: objectMetaType });
const { validate, validateUpdate, warningsOnCreate } = crdStrategy(checks);
assert.ok(validate !== undefined && validateUpdate !== undefined && warningsOnCreate !== undefined);
const context = internalContext(
  { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
  { verb: 'create', signal: new AbortController().signal },
);

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const properties = (count: number, property: JsonSchemaProps): Record<string, JsonSchemaProps> =>
  Object.fromEntries(many(count, (i) => [`p${i}`, property]));
const object = (members: Record<string, JsonSchemaProps>): JsonSchemaProps => ({ type: 'object', properties: members });

const text = { type: 'string' };

function nested(levels: number, size: number): JsonSchemaProps {
  let schema = object(properties(size, text));
  for (let i = 0; i < levels; i++)
    schema = { ...object({ 'a b': schema }), default: {}, 'x-kubernetes-validations': [{ rule: 'true' }] };
  return schema;
}

/** Definitions whose size grows with a number. */
const families: Readonly<Record<string, (size: number) => CustomResourceDefinition>> = {
  'keys of a list of type map'(size) {
    const keys = many(size, (i) => `p${i}`);
    const items = { ...object(properties(size, text)), required: keys };
    const list = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, items };
    return widgets(object({ list }));
  },
  'versions of conversion reviews'(size) {
    const conversionReviewVersions = ['v1', ...many(3 * size, (i) => `v1alpha${i}`)];
    const webhook = { clientConfig: { url: 'https://example.com/' }, conversionReviewVersions };
    return widgets(object({}), { conversion: { strategy: 'Webhook', webhook } });
  },
  'stored versions'(size) {
    const versions = many(size, (i) => ({ name: `v${i + 1}`, served: true, storage: i === 0 }));
    const schema = { openAPIV3Schema: object({}) };
    const crd = widgets(object({}), { versions: versions.map((version) => ({ ...version, schema })) });
    return { ...crd, status: { storedVersions: versions.map(({ name }) => name) } };
  },
  'selectable fields of a wide object'(size) {
    const schema = { openAPIV3Schema: object(properties(size, text)) };
    const selectableFields = many(size, () => ({ jsonPath: '.none' }));
    return widgets({}, { versions: [{ name: 'v1', served: true, storage: true, schema, selectableFields }] });
  },
  'paths of rules in a wide object'(size) {
    const rules = many(size / 10, () => ({ rule: 'true', fieldPath: '.p1' }));
    return widgets(object({ a: { ...object(properties(size, text)), 'x-kubernetes-validations': rules } }));
  },
  'defaults and rules of objects within each other': (size) => widgets(object({ a: nested(size / 40, size) })),
  'errors of a structure': (size) => widgets(object(properties(size, {}))),
};

const small = 3_000;
const factor = 4;
/** Quadratic growth would be 16. */
const mostGrowth = 11;
const countsFromMs = 80;
const attempts = 4;

async function cpuMs(crd: CustomResourceDefinition): Promise<number> {
  const began = process.cpuUsage();
  await validate?.(context, structuredClone(crd));
  await validateUpdate?.(context, structuredClone(crd), structuredClone(crd));
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}

describe('the validation of a CustomResourceDefinition', () => {
  for (const [name, make] of Object.entries(families))
    it(`is linear in ${name}`, async () => {
      let [few, lots] = [Infinity, Infinity];
      const isTooFast = () => lots > countsFromMs && lots > mostGrowth * Math.max(1, few);
      for (let i = 0; i < attempts && (i === 0 || isTooFast()); i++) {
        few = Math.min(few, await cpuMs(make(small)));
        lots = Math.min(lots, await cpuMs(make(small * factor)));
      }
      assert.ok(!isTooFast(), `${few} -> ${lots} ms`);
    });

  it('is synchronous for a small one', () => {
    assert.deepEqual(validate(context, widgets(object({ a: text }))), []);
    assert.deepEqual(warningsOnCreate(context, widgets(object({ a: { ...text, format: 'none' } }))), [
      'unrecognized format "none"',
    ]);
  });
});

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
