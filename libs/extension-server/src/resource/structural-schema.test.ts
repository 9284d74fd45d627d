import assert from 'node:assert/strict';
import { Type, type TSchema } from 'typebox';
import { structuralSchema } from './structural-schema.ts';

describe('structural schemas of TypeBox types', () => {
  const converted = (schema: TSchema) => structuralSchema(Type.Object({ a: schema })).properties?.['a'];

  it('keep types, limits, descriptions and keywords of Kubernetes', () => {
    assert.deepEqual(
      structuralSchema(Type.Object({ a: Type.Optional(Type.String({ maxLength: 3, description: 'A.' })) })),
      {
        type: 'object',
        properties: { a: { type: 'string', maxLength: 3, description: 'A.' } },
      },
    );
    const list = Type.Array(Type.Object({ name: Type.String() }), {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    });
    assert.deepEqual(converted(list), {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    });
  });

  it('have exclusive limits as flags', () => {
    assert.deepEqual(converted(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })), {
      ...{ type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
    });
  });

  it('have literals, enums and unions of literals as enum', () => {
    assert.deepEqual(converted(Type.Literal('x')), { type: 'string', enum: ['x'] });
    assert.deepEqual(converted(Type.Enum(['p', 'q'])), { type: 'string', enum: ['p', 'q'] });
    const either = Type.Union([Type.Literal('x'), Type.Literal('y')], { default: 'x' });
    assert.deepEqual(converted(either), { type: 'string', enum: ['x', 'y'], default: 'x' });
  });

  it('have unions with null as nullable, and of an integer and a string as such', () => {
    assert.deepEqual(converted(Type.Union([Type.String({ maxLength: 3 }), Type.Null()])), {
      ...{ type: 'string', maxLength: 3, nullable: true },
    });
    assert.deepEqual(converted(Type.Union([Type.Integer(), Type.String()])), { 'x-kubernetes-int-or-string': true });
  });

  it('have records as additional properties, and unknown values with all their members', () => {
    assert.deepEqual(converted(Type.Record(Type.String(), Type.Integer())), {
      type: 'object',
      additionalProperties: { type: 'integer' },
    });
    assert.deepEqual(converted(Type.Unknown({ description: 'Anything.' })), {
      description: 'Anything.',
      'x-kubernetes-preserve-unknown-fields': true,
    });
  });

  it('have an intersection of objects as one object', () => {
    const both = Type.Intersect([Type.Object({ x: Type.String() }), Type.Object({ y: Type.Optional(Type.String()) })]);
    assert.deepEqual(converted(both), {
      type: 'object',
      required: ['x'],
      properties: { x: { type: 'string' }, y: { type: 'string' } },
    });
  });

  it('do not require what has a default', () => {
    assert.deepEqual(structuralSchema(Type.Object({ a: Type.Integer({ default: 1 }), b: Type.String() })).required, [
      'b',
    ]);
  });

  it('are refused, with the path, where there is no structural form', () => {
    const refused = (schema: TSchema, message: RegExp) => assert.throws(() => converted(schema), message);
    refused(Type.Union([Type.String(), Type.Object({})]), /^Error: schema\.a: a union has no structural form/);
    refused(Type.Tuple([Type.String()]), /^Error: schema\.a: .*/);
    refused(
      Type.Record(Type.String({ pattern: '^a$' }), Type.String()),
      /schema\.a: the keys of a record must be Type\.String/,
    );
    refused(Type.Null(), /^Error: schema\.a: the type "null" has no structural form/);
    refused(
      Type.Union([Type.Literal('x'), Type.Literal(3)]),
      /^Error: schema\.a: the values of an enum must have one type/,
    );
    refused(Type.Intersect([Type.Object({ x: Type.String() }), Type.Object({ x: Type.String() })]), /declares x twice/);
  });
});
