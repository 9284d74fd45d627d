import assert from 'node:assert/strict';
import type { Field, Type } from './type.ts';
import { unstructuredError } from './unstructured-error.ts';

const field = (name: string, type: Type): Field => ({ name, type });
const string: Type = { kind: 'string' };
const thing: Type = {
  kind: 'object',
  name: 'v1.Thing',
  fields: [
    field('text', string),
    field('policy', { kind: 'string', alias: 'core.v1.RestartPolicy' }),
    field('port', { kind: 'integer', format: 'int32' }),
    field('ratio', { kind: 'number' }),
    field('flag', { kind: 'boolean' }),
    field('labels', { kind: 'map', values: string }),
    field('names', { kind: 'array', items: string }),
    field('inner', { kind: 'object', name: 'v1.Inner', fields: [field('text', string)] }),
    field('data', { kind: 'bytes' }),
    field('time', { kind: 'time' }),
    field('either', { kind: 'intOrString' }),
  ],
};
const errorOf = (value: Record<string, unknown>) => unstructuredError(value, thing);

describe('unstructuredError', () => {
  it('returns nothing for values that Go converts', () => {
    const fine = {
      text: 'a',
      policy: 'Always',
      port: 80,
      ratio: 1,
      flag: true,
      labels: { a: 'b' },
      names: ['a', null],
    };
    assert.equal(
      errorOf({ ...fine, inner: { text: 'a' }, data: 'YQ==', time: '2001-01-01T00:00:00Z', either: 5 }),
      undefined,
    );
    assert.equal(errorOf({ text: null, port: null, labels: null, names: null, inner: null, unknown: 1 }), undefined);
  });

  it('has the message of the converter for each kind of mismatch', () => {
    const cases: [Record<string, unknown>, string][] = [
      [{ text: 5 }, 'cannot convert int64 to string'],
      [{ policy: 5 }, 'cannot convert int64 to v1.RestartPolicy'],
      [{ text: 1.5 }, 'unrecognized type: string'],
      [{ text: {} }, 'unrecognized type: string'],
      [{ port: 'x' }, 'unrecognized type: int32'],
      [{ port: 1.5 }, 'cannot convert float64 to int32'],
      [{ flag: 'x' }, 'unrecognized type: bool'],
      [{ ratio: 'x' }, 'unrecognized type: float64'],
      [{ labels: [] }, 'cannot restore map from slice'],
      [{ labels: { a: 5 } }, 'cannot convert int64 to string'],
      [{ names: {} }, 'cannot restore slice from map'],
      [{ names: ['a', true] }, 'unrecognized type: string'],
      [{ inner: 'x' }, 'cannot restore struct from: string'],
      [{ inner: { text: [] } }, 'unrecognized type: string'],
      [{ data: '#' }, 'error decoding from json: illegal base64 data at input byte 0'],
      [{ data: 5 }, 'cannot restore slice from int64'],
      [{ time: 5 }, 'json: cannot unmarshal number into Go value of type string'],
      [{ either: [] }, 'json: cannot unmarshal array into Go value of type int32'],
    ];
    for (const [value, message] of cases) assert.equal(errorOf(value), message, JSON.stringify(value));
  });

  it('reports the first mismatch in the order of the type', () => {
    assert.equal(errorOf({ flag: 'x', port: 'x' }), 'unrecognized type: int32');
  });
});
