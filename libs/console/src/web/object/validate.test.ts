import assert from 'node:assert/strict';
import type { OpenApiDocument, Schema } from '../api/openapi.ts';
import { validateYaml } from './validate.ts';

const document: OpenApiDocument = {
  components: {
    schemas: {
      Meta: {
        type: 'object',
        properties: { name: { type: 'string' }, labels: { type: 'object', additionalProperties: { type: 'string' } } },
      },
      Quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    },
  },
};

const schema: Schema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    metadata: { allOf: [{ $ref: '#/components/schemas/Meta' }], default: {} },
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1 },
        mode: { type: 'string', enum: ['calm', 'busy'] },
        ports: {
          type: 'array',
          items: { type: 'object', properties: { port: { 'x-kubernetes-int-or-string': true } } },
        },
        memory: { allOf: [{ $ref: '#/components/schemas/Quantity' }] },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        code: { type: 'string', pattern: '^[a-z]+$' },
      },
    },
  },
};

const findings = (text: string) =>
  validateYaml(text, document, schema).map(({ line, path, message }) => `${line} ${path}: ${message}`);

describe('the validation of YAML', () => {
  it('accepts what fits the schema', () => {
    const text = `apiVersion: v1
metadata: {name: a, labels: {b: c}}
spec:
  size: 2
  mode: calm
  ports: [{port: 80}, {port: http}]
  memory: 1Gi
  free: {any: {thing: [1]}}
  code: abc
`;
    assert.deepEqual(findings(text), []);
  });

  it('names the line and the field of what does not fit', () => {
    const text = `metadata:
  nam: a
  labels: {b: 1}
spec:
  size: 0
  mode: loud
  ports:
    - prot: 80
  code: A1
status: 1
`;
    assert.deepEqual(findings(text), [
      '2 metadata.nam: the field is not known',
      '3 metadata.labels.b: string is expected, not 1',
      '5 spec.size: at least 1',
      '6 spec.mode: one of calm, busy is expected',
      '8 spec.ports[0].prot: the field is not known',
      '9 spec.code: does not match ^[a-z]+$',
      '10 status: the field is not known',
    ]);
  });

  it('names required fields, and other types', () => {
    assert.deepEqual(findings('spec: {}\n'), ['1 spec.size: the field is required']);
    assert.deepEqual(findings('spec: [1]\n'), ['1 spec: object is expected, not a list']);
    assert.deepEqual(findings('spec: {size: {a: 1}}\n'), ['1 spec.size: integer is expected, not an object']);
    assert.deepEqual(findings('- a\n'), ['1 : an object is expected']);
  });

  it('tells where the syntax is wrong', () => {
    const [first] = validateYaml('a: [1\nb: 2\n', document, schema);
    assert.equal(first?.path, '');
    assert.ok((first?.line ?? 0) >= 1);
    assert.notEqual(first?.message, '');
  });

  it('shows a bounded number of problems', () => {
    const text = `spec:\n  size: 1\n${Array.from({ length: 500 }, (_, i) => `  x${i}: 1\n`).join('')}`;
    assert.ok(validateYaml(text, document, schema).length <= 50);
  });
});
