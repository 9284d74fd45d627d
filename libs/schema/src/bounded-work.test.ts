import assert from 'node:assert/strict';
import { field, isStatusError, newInvalid } from '@apichain/meta';
import { Correlation } from './correlation.ts';
import { applyDefaults } from './defaulting.ts';
import { validateListTypes } from './list-type.ts';
import { metadataRules } from './metadata-rules.fixture.ts';
import { pruneDefaults } from './prune-defaults.ts';
import { structuralType } from './structural-type.ts';
import { compileSchema } from './validate.ts';

const options = { intOrStringTyped: true, isResourceRoot: false };
const count = 5_000;
const many = <T>(make: (i: number) => T, n = count): T[] => Array.from({ length: n }, (_, i) => make(i));

const list = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
  items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } },
};

/** The number of reads of item keys. */
let reads = 0;
const items = () =>
  many((i) => ({
    get k() {
      reads++;
      return `k${i}`;
    },
    v: 1,
  }));

describe('work on long lists', () => {
  beforeEach(() => {
    reads = 0;
  });

  it('reads each key of a list of type map a few times to find unchanged items', () => {
    assert.equal(new Correlation(items().reverse(), items(), list).unchanged, true);
    assert(reads < 20 * count, `${reads} reads`);
  });

  it('reads each key a few times to find duplicates', () => {
    const value = items();
    assert.deepEqual(validateListTypes(value, structuralType(list), 'l'), []);
    assert(reads < 20 * count, `${reads} reads`);
    const [error] = validateListTypes([...value, { k: 'k7' }], structuralType(list), 'l');
    assert.deepEqual([error?.field, error?.message], [`l[${count}]`, 'Duplicate value: {"k":"k7"}']);
  });

  it('distinguishes the number 1 from the string in a set, and finds duplicates with another order of members', () => {
    const set = { type: 'array', 'x-kubernetes-list-type': 'set' };
    const repeated = (value: unknown[]) => validateListTypes(value, structuralType(set), 'l').map(({ field }) => field);
    assert.deepEqual(repeated([1, '1', 2, true, 'true']), []);
    assert.deepEqual(repeated([{ a: 1, b: 2 }, 3, { b: 2, a: 1 }, 3, 3]), ['l[2]', 'l[3]']);
  });

  it('visits each field a few times to prune many defaults', () => {
    const properties = Object.fromEntries(many((i) => [`p${i}`, { type: 'string', default: 'a' }]));
    const type = structuralType({ type: 'object', properties });
    let visits = 0;
    const fields = (type.fields ?? []).map((own) => ({
      ...own,
      get type() {
        visits++;
        return own.type;
      },
    }));
    pruneDefaults({ ...type, fields }, metadataRules);
    assert(visits > 0 && visits < 20 * count, `${visits} visits`);
  });

  it('ends defaulting when it adds megabytes to a few empty items', () => {
    const item = { type: 'object', default: {}, properties: { text: { type: 'string', default: 'x'.repeat(1_000) } } };
    const type = structuralType({ type: 'array', items: item });
    const short: Record<string, unknown>[] = many(() => ({}), 100);
    applyDefaults(short, type);
    assert.equal(String(short[99]?.['text']).length, 1_000);
    assert.throws(
      () =>
        applyDefaults(
          many(() => ({}), 20_000),
          type,
        ),
      (error) => isStatusError(error, 'RequestEntityTooLarge'),
    );
  });
});

describe('the errors of an object with very many', () => {
  it('are limited in number, with a note of the rest', () => {
    const validator = compileSchema({ type: 'array', items: { type: 'string', pattern: '^a$' } }, options);
    const errors = validator.validate(
      many(() => 'b', 2 * field.maxErrors),
      'spec',
    );
    assert(errors.length > field.maxErrors / 2 && errors.length <= field.maxErrors + 1, `${errors.length}`);
    const { status } = newInvalid({ group: 'example.com', kind: 'Widget' }, 'x', errors);
    assert((status.details?.causes?.length ?? 0) <= field.maxErrors);
    assert.match(status.message ?? '', /, and more\]$/);
  });

  it('are limited to about a megabyte', () => {
    const allowed = many((i) => `value-${i}`, 1_000);
    const validator = compileSchema({ type: 'array', items: { type: 'string', enum: allowed } }, options);
    const { status } = newInvalid(
      { group: '', kind: 'Widget' },
      'x',
      validator.validate(
        many(() => 'b'),
        'spec',
      ),
    );
    assert(JSON.stringify(status).length < 5_000_000);
  });

  it('are ratcheted together where nothing changed', () => {
    const validator = compileSchema({ type: 'array', items: { type: 'string', pattern: '^a$' } }, options);
    const value = many(() => 'b');
    assert.deepEqual(validator.validateUpdate(value, [...value], 'spec'), []);
  });
});
