import assert from 'node:assert/strict';
import type { FieldError } from '@apichain/meta';
import { structuralType, type JsonSchemaProps } from '@apichain/schema';
import { celRules } from './evaluator.ts';

type Rule = NonNullable<JsonSchemaProps['x-kubernetes-validations']>[number];

const withRules = (schema: JsonSchemaProps, ...rules: Rule[]): JsonSchemaProps => ({
  ...schema,
  'x-kubernetes-validations': rules,
});
const root = (spec: JsonSchemaProps): JsonSchemaProps => ({ type: 'object', properties: { spec } });

async function broken(spec: JsonSchemaProps, value: unknown, old?: unknown): Promise<string[]> {
  const rules = celRules.compile(structuralType(root(spec)));
  const errors =
    rules === undefined ? [] : await rules.evaluate({ spec: value }, old === undefined ? undefined : { spec: old }, '');
  return errors.map((e) => `${e.field}: ${e.message}`);
}
const refused = (spec: JsonSchemaProps): string[] =>
  celRules.check(root(spec), 's', undefined).map((e) => `${e.field}: ${e.message}`);

const text: JsonSchemaProps = { type: 'string' };

describe('rules of CRDs', () => {
  it('report their message when they fail', async () => {
    const spec = withRules(
      { type: 'object', properties: { n: { type: 'integer' }, 'a-b': text } },
      { rule: 'self.n > 1' },
      { rule: 'self.n > 2', message: 'too small', fieldPath: '.n', reason: 'FieldValueForbidden' },
      { rule: 'self.n > 3', messageExpression: "'got ' + string(self.n)" },
      { rule: "!has(self.a__dash__b) || self.a__dash__b == 'x'" },
    );
    assert.deepEqual(await broken(spec, { n: 1, 'a-b': 'x' }), [
      'spec: Invalid value: failed rule: self.n > 1',
      'spec.n: Forbidden: too small',
      'spec: Invalid value: got 1',
    ]);
    assert.deepEqual(await broken(spec, { n: 4 }), []);
  });

  it('treat null as absent, escape keywords, and compare unknown fields', async () => {
    const open: JsonSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const spec = withRules(
      {
        type: 'object',
        properties: { n: { ...text, nullable: true }, if: text, l: { type: 'array', items: open } },
      },
      { rule: "!has(self.n) && self.if == 'a' && self.__if__ == 'a' && type(self) == map" },
      { rule: 'self.l[0] != self.l[1] && self.l[0] == self.l[2]' },
    );
    assert.deepEqual(await broken(spec, { n: null, if: 'a', l: [{ x: 1 }, { x: 2 }, { x: 1 }] }), []);
  });

  it('return the errors that ratcheting ignores', async () => {
    const rules = celRules.compile(structuralType(root(withRules(text, { rule: "self == 'a'" }))));
    const forgiven: string[] = [];
    const hear = (e: FieldError) => forgiven.push(`${e.field}: ${e.message}`);
    const errors = rules === undefined ? undefined : await rules.evaluate({ spec: 'b' }, { spec: 'b' }, '', hear);
    assert.deepEqual(errors, []);
    assert.deepEqual(forgiven, [`spec: Invalid value: "b": failed rule: self == 'a'`]);
  });

  it('ratchet by the equality of the schema', async () => {
    const item: JsonSchemaProps = { type: 'object', properties: { k: text }, required: ['k'] };
    const list = (listType: string, keys: string[]): JsonSchemaProps => ({
      type: 'array',
      'x-kubernetes-list-type': listType,
      ...(keys.length > 0 ? { 'x-kubernetes-list-map-keys': keys } : {}),
      items: item,
    });
    const values = [{ k: 'a' }, { k: 'b' }];
    const turned = [{ k: 'b' }, { k: 'a' }];
    assert.deepEqual(await broken(withRules(list('map', ['k']), { rule: 'self.size() > 2' }), turned, values), []);
    assert.equal((await broken(withRules(list('atomic', []), { rule: 'self.size() > 2' }), turned, values)).length, 1);
    const open: JsonSchemaProps = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: text },
    };
    const rule = { rule: "self.a == 'x'" };
    assert.deepEqual(await broken(withRules(open, rule), { a: 'b' }, { a: 'b' }), []);
    assert.equal((await broken(withRules(open, rule), { a: 'b', u: 1 }, { a: 'b', u: 1 })).length, 1);
  });

  it('report malformed regular expressions', async () => {
    assert.deepEqual(await broken(withRules(text, { rule: "self.find(')') == ''" }), 'b'), [
      'spec: Invalid value: "string": rule compile error: program instantiation failed: error parsing regexp: unexpected ): `)`',
    ]);
    assert.deepEqual(await broken(withRules(text, { rule: "self.find('\\\\') == ''" }), 'b'), [
      'spec: Invalid value: "string": rule compile error: program instantiation failed: error parsing regexp: trailing backslash at end of expression: ``',
    ]);
  });

  it('print scalars, and errors with the type of the value', async () => {
    assert.deepEqual(await broken(withRules(text, { rule: "self == 'a'" }), 'b'), [
      `spec: Invalid value: "b": failed rule: self == 'a'`,
    ]);
    assert.deepEqual(await broken(withRules(text, { rule: 'self.substring(2) == self' }), 'b'), [
      'spec: Invalid value: "string": index out of range: 2 evaluating rule: self.substring(2) == self',
    ]);
    assert.deepEqual(
      await broken(
        withRules({ ...text, format: 'date-time' }, { rule: "self > timestamp('2020-01-01T00:00:00Z')" }),
        'x',
      ),
      [
        `spec: Invalid value: "string": Invalid date formatted string x evaluating rule: self > timestamp('2020-01-01T00:00:00Z')`,
      ],
    );
  });

  it('compare with the old value when it exists', async () => {
    const item: JsonSchemaProps = {
      type: 'object',
      properties: { k: text, v: withRules(text, { rule: 'self == oldSelf' }) },
    };
    const list: JsonSchemaProps = {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    };
    const old = [{ k: 'a', v: '1' }];
    assert.deepEqual(await broken(list, old), []);
    assert.deepEqual(await broken(list, [{ k: 'b', v: '2' }, ...old], old), []);
    assert.deepEqual(await broken(list, [{ k: 'a', v: '2' }], old), [
      'spec[0].v: Invalid value: "2": failed rule: self == oldSelf',
    ]);
    const optional = withRules(text, { rule: "oldSelf.orValue('z') == 'z'", optionalOldSelf: true });
    assert.deepEqual(await broken(optional, 'a'), []);
    assert.equal((await broken(optional, 'a', 'b')).length, 1);
  });

  it('are not applied to unchanged values', async () => {
    const spec: JsonSchemaProps = {
      type: 'object',
      properties: { a: withRules(text, { rule: "self == 'x'" }), b: text },
    };
    assert.deepEqual(await broken(spec, { a: 'y', b: '2' }, { a: 'y', b: '1' }), []);
    assert.equal((await broken(spec, { a: 'z' }, { a: 'y' })).length, 1);
  });

  it('stop when the budget is used up', async () => {
    const rule = 'self.all(x, self.all(y, x == y))';
    const spec = withRules({ type: 'array', items: text }, { rule });
    const items = Array.from({ length: 1000 }, () => 'a');
    assert.deepEqual(await broken(spec, items), [
      `spec: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ]);
  });

  it('must compile, return booleans, and use oldSelf only in correlatable places', () => {
    const at = 's.properties[spec].x-kubernetes-validations[0]';
    const [unknown = ''] = refused(withRules({ type: 'object', properties: { a: text } }, { rule: 'self.b == 1' }));
    assert.ok(unknown.startsWith(`${at}.rule: Invalid value: {"Rule":"self.b == 1",`), unknown);
    assert.ok(
      unknown.endsWith("compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b == 1\n | ....^"),
      unknown,
    );
    assert.match(refused(withRules(text, { rule: 'self' }))[0] ?? '', /cel expression must evaluate to a bool$/);
    assert.match(
      refused(withRules(text, { rule: 'true', messageExpression: '1' }))[0] ?? '',
      /messageExpression must evaluate to a string$/,
    );
    assert.deepEqual(refused(withRules(text, { rule: 'true', optionalOldSelf: true })), [
      `${at}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ]);
    assert.deepEqual(
      refused({ type: 'array', maxItems: 5, items: withRules({ ...text, maxLength: 5 }, { rule: 'self == oldSelf' }) }),
      [
        's.properties[spec].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[spec]',
      ],
    );
  });

  it('apply to defaults', () => {
    const type = structuralType(withRules(text, { rule: "self == 'a'" }));
    assert.deepEqual(celRules.evaluateDefault(type, 'a', 'd'), []);
    assert.equal(celRules.evaluateDefault(type, 'b', 'd').length, 1);
    const astray = structuralType(withRules(text, { rule: 'false', fieldPath: "['a']" }));
    assert.deepEqual(
      celRules.evaluateDefault(astray, 'a', 'd').map((e) => e.field),
      ['d'],
    );
  });
});
