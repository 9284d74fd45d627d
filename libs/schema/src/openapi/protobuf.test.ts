import assert from 'node:assert/strict';
import { encodeOpenApiV2 } from './protobuf-v2.ts';
import { encodeOpenApiV3 } from './protobuf-v3.ts';

/** A length-delimited field of less than 128 bytes. */
const field = (number: number, ...parts: (string | Buffer)[]): Buffer => {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const tag = number * 8 + 2;
  return Buffer.from([...(tag < 128 ? [tag] : [(tag & 127) | 128, tag >> 7]), bytes.length, ...bytes]);
};
const number = (field: number, value: number): Buffer => Buffer.from([field * 8, value]);

describe('OpenAPI documents in protobuf', () => {
  it('v2: have unions, maps as lists of names and values, and extensions as YAML, by field number', async () => {
    const parameter = { name: 'pretty', in: 'query', type: 'string', uniqueItems: true };
    const bytes = await encodeOpenApiV2({
      definitions: { A: { type: 'object', 'x-kubernetes-x': [{ c: 'x', b: 1 }, 'yes'], minLength: 0, maxLength: 7 } },
      paths: { '/a': { parameters: [parameter], get: { responses: { 200: { description: 'OK' } } } } },
      swagger: '2.0',
    });
    const query = [field(2, 'query'), field(4, 'pretty'), field(6, 'string'), Buffer.from([160, 1, 1])];
    const responses = field(1, field(1, '200'), field(2, field(1, field(1, 'OK'))));
    const pathItem = [field(2, field(9, responses)), field(9, field(1, field(2, field(3, ...query))))];
    const extension = field(31, field(1, 'x-kubernetes-x'), field(2, field(2, '- b: 1\n  c: x\n- \"yes\"\n')));
    const schema = [number(11, 7), field(22, field(1, 'object')), extension];
    const expected = [
      field(1, '2.0'),
      field(8, field(2, field(1, '/a'), field(2, ...pathItem))),
      field(9, field(1, field(1, 'A'), field(2, ...schema))),
    ];
    assert.equal(bytes.toString('hex'), Buffer.concat(expected).toString('hex'));
  });

  it('have JSON text where YAML does not allow the characters', async () => {
    const bytes = await encodeOpenApiV2({ swagger: '2.0', definitions: { A: { default: 'a\ufffeb' } } });
    assert.ok(bytes.includes('"a\ufffeb"\n'));
  });

  it('v3: distinguish a default of false and a closed object from absent ones', async () => {
    const schemas = { A: { additionalProperties: false, default: false }, B: { $ref: '#/A' } };
    const bytes = await encodeOpenApiV3({ openapi: '3.0.0', components: { schemas } });
    const closed = [Buffer.from([130, 2, 2, 16, 0]), Buffer.from([138, 2, 2, 16, 0])];
    const named = [
      field(1, field(1, 'A'), field(2, field(1, ...closed))),
      field(1, field(1, 'B'), field(2, field(2, field(1, '#/A')))),
    ];
    const expected = [field(1, '3.0.0'), field(5, field(1, ...named))];
    assert.equal(bytes.toString('hex'), Buffer.concat(expected).toString('hex'));
  });

  it('are encoded while others are served', async () => {
    const many = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`${prefix}${i}`, { description: 'a' }]));
    for (const encode of [
      () => encodeOpenApiV2({ swagger: '2.0', paths: many('/'), definitions: many('A') }),
      () => encodeOpenApiV3({ openapi: '3.0.0', paths: many('/'), components: { schemas: many('A') } }),
    ]) {
      let isEncoded = false;
      const encoded = encode().then(() => (isEncoded = true));
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(isEncoded, false);
      await encoded;
    }
  });
});
