import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeWorkers } from '@apichain/apiserver';
import { celRules } from '@apichain/cel';
import { metadataRules, objectMetaType } from '@apichain/custom-resources';
import { field, isStatusError, type FieldError } from '@apichain/meta';
import { inRequest } from '@apichain/request/in-request.fixture';
import {
  findNonStructural,
  validateCrd,
  validateCrdUpdate,
  type CustomResourceDefinition,
  type JsonSchemaProps,
} from '@apichain/schema';
import { CrdChecks, checkStructure } from './crd-checks.ts';
import { widgets } from './widgets.fixture.ts';

const context = { metadata: metadataRules, rules: celRules };
const times: { compiled: number[]; evaluated: number[] } = { compiled: [], evaluated: [] };
const timers = {
  compiled: (ms: number) => times.compiled.push(ms),
  evaluated: (ms: number) => times.evaluated.push(ms),
};
const checks = new CrdChecks(context, { objectMeta: objectMetaType, rules: timers });

const many = (count: number, property: JsonSchemaProps): JsonSchemaProps => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, property])),
});
const text: JsonSchemaProps = { type: 'string' };

/** The pool of the tests. A thread ends when it has been idle. */
const pool = makeWorkers();

async function threadsAfter(crd: CustomResourceDefinition, old?: CustomResourceDefinition): Promise<number> {
  const fresh = makeWorkers();
  await inRequest(fresh, () => checks.validate(crd, old));
  return fresh?.threads ?? 0;
}

describe('the checks of definitions', () => {
  it('are made in this thread for a small one', async () => {
    assert.equal(await threadsAfter(widgets(many(500, text))), 0);
    assert.equal(await threadsAfter(widgets({ type: 'object', description: 'x'.repeat(1_000_000) })), 0);
  });

  it('are made in a worker thread for one with many members, long expressions, or rules for defaults', async () => {
    const rules = [{ rule: "self != 'a'" }];
    assert.equal(await threadsAfter(widgets(many(2_000, text))), 1);
    assert.equal(await threadsAfter(widgets(many(1_000, text)), widgets(many(1_000, text))), 1);
    assert.equal(await threadsAfter(widgets(many(500, { ...text, pattern: '^[a-z]{1,9}$' }))), 1);
    const ruled = { ...text, maxLength: 9, default: 'b', 'x-kubernetes-validations': rules };
    assert.equal(await threadsAfter(widgets(many(1, ruled))), 1);
  });

  const shapes: Readonly<Record<string, JsonSchemaProps>> = {
    valid: many(2_000, { ...text, maxLength: 9, default: 'b', 'x-kubernetes-validations': [{ rule: "self != 'a'" }] }),
    'of errors': many(2_000, { type: 'strin' }),
    'of errors of structure': many(2_000, {}),
    'with errors of rules': many(2_000, { ...text, 'x-kubernetes-validations': [{ rule: 'self == 1' }] }),
    'with bad defaults': many(2_000, { ...text, default: 1 }),
    'with bad patterns': many(2_000, { ...text, pattern: '(' }),
  };
  for (const [name, schema] of Object.entries(shapes))
    it(`have the same result there: a definition ${name}`, async () => {
      const first = (errors: readonly FieldError[]) => errors.slice(0, field.maxErrors);
      const crd = () => widgets(structuredClone(schema));
      const created = await inRequest(pool, () => checks.validate(crd()));
      assert.deepEqual(created, first(validateCrd(crd(), context)));
      const old = widgets(many(1, text));
      const updated = await inRequest(pool, () => checks.validate(crd(), old));
      assert.deepEqual(updated, first(validateCrdUpdate(crd(), old, context)));
      assert.ok(pool !== undefined);
      assert.deepEqual(await checkStructure(crd(), { pool, owner: 'a' }), findNonStructural(crd()));
    });

  it('remove unknown metadata from defaults there, too', async () => {
    const embedded: JsonSchemaProps = {
      ...{ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      default: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', unknown: 1 } },
    };
    const schema = many(2_000, text);
    const crd = () => widgets({ ...schema, properties: { ...schema.properties, embedded: structuredClone(embedded) } });
    const [here, there] = [crd(), crd()];
    assert.deepEqual(await inRequest(pool, () => checks.validate(there)), validateCrd(here, context));
    assert.deepEqual(there, here);
    assert.notDeepEqual(there, crd());
  });

  it('report how long rules took there', async () => {
    times.compiled = [];
    times.evaluated = [];
    const crd = widgets(shapes['valid'] ?? {});
    await inRequest(pool, () => checks.validate(crd));
    assert.equal(times.compiled.length, 1);
    assert.equal(times.evaluated.length, 2_000);
  });

  it('leave this thread to others', async () => {
    const crd = widgets(many(19_000, { ...text, pattern: '^a{1,9}$' }));
    let isDone = false;
    const checked = inRequest(pool, () => checks.validate(crd)).finally(() => (isDone = true));
    let turns = 0;
    for (; !isDone; turns++) await nextTurn();
    assert.deepEqual(await checked, []);
    assert.ok(turns > 10, `${turns} turns`);
  });

  it('are made in this thread if there is no other', async () => {
    assert.deepEqual(await inRequest(undefined, () => checks.validate(widgets(many(2_000, text)))), []);
    assert.deepEqual(checks.validate(widgets(many(2_000, text))), []);
  });

  it('fail their request with a Status if the thread fails', async () => {
    const failing = makeWorkers(new URL('./missing.ts', import.meta.url));
    const work = () => checks.validate(widgets(many(2_000, text)));
    await assert.rejects(inRequest(failing, work), (error: unknown) => isStatusError(error, 'InternalError'));
    assert.deepEqual(await inRequest(pool, work), []);
  });
});
