import assert from 'node:assert/strict';
import { parseJson } from '@apichain/meta';
import { compileSchema } from './validate.ts';

const messages = (properties: object, json: string): string[] =>
  compileSchema({ type: 'object', properties: { ...properties } }, { intOrStringTyped: true, isResourceRoot: false })
    .validate(parseJson(json), '')
    .map(({ message }) => message);

describe('numbers under a schema', () => {
  it('are floats when they were written as floats', () => {
    const text = { s: { type: 'string' }, l: { type: 'array', items: { type: 'string' } } };
    assert.deepEqual(messages(text, '{"s":1}'), [
      'Invalid value: "integer": s in body must be of type string: "integer"',
    ]);
    assert.deepEqual(messages(text, '{"s":1.0}'), [
      'Invalid value: "number": s in body must be of type string: "number"',
    ]);
    assert.deepEqual(messages(text, '{"l":[1e2]}'), [
      'Invalid value: "number": l[0] in body must be of type string: "number"',
    ]);
    assert.deepEqual(messages({ i: { type: 'integer' } }, '{"i":1.0}'), []);
  });

  it('are shown with the members of objects in order', () => {
    assert.deepEqual(messages({ o: { type: 'object', enum: [{}] } }, '{"o":{"b":{"d":1,"c":2},"a":3}}'), [
      'Unsupported value: {"a":3,"b":{"c":2,"d":1}}: supported values: "{}"',
    ]);
  });

  it('are compared with bounds of the same type', () => {
    const n = { n: { type: 'number', maximum: 1_000_000 } };
    assert.deepEqual(messages(n, '{"n":2000000}'), [
      'Invalid value: 2000000: n in body should be less than or equal to 1000000',
    ]);
    assert.deepEqual(messages(n, '{"n":1000000.5}'), [
      'Invalid value: 1.0000005e+06: n in body should be less than or equal to 1e+06',
    ]);
    assert.deepEqual(messages({ n: { type: 'number', maximum: 1e21 } }, '{"n":1}'), [
      'Invalid value: 1: n in body should be less than or equal to -9223372036854775808',
    ]);
  });

  it('are integers only in the exact range of floats', () => {
    const i = { i: { type: 'integer' } };
    assert.deepEqual(messages(i, '{"i":9223372036854775807}'), []);
    assert.deepEqual(messages(i, '{"i":1e17}'), [
      'Invalid value: "number": i in body must be of type integer: "number"',
    ]);
    assert.deepEqual(messages(i, '{"i":9223372036854775808}'), [
      'Invalid value: "number": i in body must be of type integer: "number"',
      'Invalid value: "": Checked value must be of type integer (default format) in i',
    ]);
    assert.deepEqual(messages({ i: { type: 'integer', format: 'int64' } }, '{"i":1e17}'), [
      'Invalid value: "float64": i in body must be of type int64: "float64"',
    ]);
  });
});
