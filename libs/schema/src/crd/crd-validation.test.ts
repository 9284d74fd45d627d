import assert from 'node:assert/strict';
import { decodeObject, type Type } from '@apichain/scheme';
import type { JsonSchemaProps } from '../json-schema-props.ts';
import { metadataRules } from '../metadata-rules.fixture.ts';
import { validateCrd, validateCrdUpdate } from './crd-validation.ts';

const json: Type = { kind: 'json' };
const schemaType: Type = {
  kind: 'object',
  fields: [
    { name: 'type', type: { kind: 'string' } },
    { name: 'allOf', type: { kind: 'array', items: json } },
    { name: 'patternProperties', type: { kind: 'map', values: json } },
    { name: 'externalDocs', type: json },
  ],
};

describe('the root of a schema with a status subresource', () => {
  it('has few other fields, not even empty ones, and is printed as in Go', () => {
    const { object } = decodeObject(
      { type: 'object', allOf: [], patternProperties: {}, externalDocs: { description: 'd' } },
      schemaType,
    );
    const openAPIV3Schema = object as JsonSchemaProps;
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'as.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' },
        versions: [
          { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
        ],
      },
      status: { storedVersions: ['v1'] },
    };
    const [message = ''] = validateCrd(crd, { metadata: metadataRules }).map((error) => error.message);
    assert.match(message, /fields are allowed at the root of the schema if the status subresource is enabled$/);
    assert.match(
      message,
      /"AllOf":\[\],"OneOf":null.*"PatternProperties":\{\}.*"ExternalDocs":\{"Description":"d","URL":""\}/,
    );
  });
});

describe('validation of a CRD', () => {
  it('checks the paths of selectable fields also with an empty schema of the version', () => {
    const version = { name: 'v1', served: true, storage: true, selectableFields: [{ jsonPath: 'a/b' }] };
    const found = (schema?: object) => {
      const crd = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'as.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' },
          versions: [{ ...version, ...(schema && { schema }) }],
        },
        status: { storedVersions: ['v1'] },
      };
      return validateCrd(crd as Parameters<typeof validateCrd>[0], { metadata: metadataRules })
        .filter(({ field }) => field.startsWith('spec.selectableFields'))
        .map(({ field, message }) => `${field}: ${message}`);
    };
    const at = 'spec.selectableFields';
    assert.deepEqual(found({}), [
      `${at}[0].jsonPath: Invalid value: "a/b": is an invalid path: expected [ or . but got: a/b`,
    ]);
    assert.deepEqual(found(), [`${at}: Invalid value: "": may only be set when validations.schema is included`]);
  });

  it('requires a structural schema of a stored definition without one, once the schema has keywords that need it', () => {
    const updated = (more: object) => {
      const crd = (added: object) => ({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'as.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          preserveUnknownFields: true,
          names: { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', properties: { size: {} }, ...added } },
            },
          ],
        },
        status: { storedVersions: ['v1'] },
      });
      return validateCrdUpdate(crd(more), crd({}), { metadata: metadataRules }).map(
        ({ field, message }) => `${field}: ${message}`,
      );
    };
    const untyped =
      'spec.validation.openAPIV3Schema.properties[size].type: Required value: must not be empty for specified object fields';
    assert.deepEqual(updated({ description: 'a size' }), []);
    assert.deepEqual(updated({ 'x-kubernetes-validations': [{ rule: 'has(self.size)' }] }), [untyped]);
    assert.deepEqual(updated({ 'x-kubernetes-preserve-unknown-fields': true }), [untyped]);
  });
});
