import assert from 'node:assert/strict';
import { builtinType } from '@apichain/kinds/model';
import { parseJson, type KubeObject } from '@apichain/meta';
import { readBetaCrd } from './beta-crd.ts';
import { storedCrds } from './stored-crd.ts';

const type = builtinType({ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' });
assert.ok(type !== undefined);
const form = storedCrds(type);

const names = { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' };
const status = { conditions: [], acceptedNames: names, storedVersions: ['v1'] };
const crd = (spec: object): KubeObject => ({
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'as.b', uid: 'u' },
  spec: { group: 'b', scope: 'Namespaced', names, ...spec },
  status,
});
const schema = { openAPIV3Schema: { type: 'object', properties: { b: { type: 'string' }, a: { type: 'string' } } } };
const column = { name: 'A', type: 'string', jsonPath: '.a' };
const read = (object: KubeObject) => {
  const value = form.encode(object);
  assert.ok(form.has(value));
  return readBetaCrd(value);
};

describe('a CustomResourceDefinition in the store', () => {
  it('keeps all of large schemas within items, additionalProperties and other unions', () => {
    const wide = (inner: object) => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 1_500 }, (_, index) => [`p${10_000 + index}`, { type: 'string', ...inner }]),
      ),
    });
    const properties = {
      list: { type: 'array', items: wide({ maxLength: 5 }) },
      map: { type: 'object', additionalProperties: wide({ description: 'd' }) },
      open: { type: 'object', additionalProperties: true },
      strings: {
        type: 'object',
        dependencies: { a: Array.from({ length: 3_000 }, (_, index) => `n${index}`), b: wide({}) },
      },
      tuple: { type: 'array', items: [wide({}), { type: 'string' }] },
    };
    const versions = ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', description: name, properties } },
    }));
    const stored = read(crd({ versions, conversion: { strategy: 'None' } }));
    assert.deepEqual((stored?.spec as { versions: unknown }).versions, versions);
  });

  it('is text of v1beta1 in the order of Go', () => {
    const object = crd({
      versions: [{ served: true, storage: true, name: 'v1', schema, additionalPrinterColumns: [column] }],
      conversion: { strategy: 'None' },
    });
    assert.equal(
      form.encode(object).toString(),
      '{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1","metadata":{"name":"as.b","uid":"u"},' +
        '"spec":{"group":"b","version":"v1","names":{"plural":"as","singular":"a","kind":"A","listKind":"AList"},"scope":"Namespaced",' +
        '"validation":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}},' +
        '"versions":[{"name":"v1","served":true,"storage":true}],' +
        '"additionalPrinterColumns":[{"name":"A","type":"string","JSONPath":".a"}],' +
        '"conversion":{"strategy":"None"},"preserveUnknownFields":false},' +
        '"status":{"conditions":[],"acceptedNames":{"plural":"as","singular":"a","kind":"A","listKind":"AList"},"storedVersions":["v1"]}}\n',
    );
    assert.deepEqual(read(object), object);
  });

  it('keeps what only some versions have, and the webhook of its conversion', () => {
    const webhook = {
      clientConfig: { service: { namespace: 'n', name: 's', path: '/p', port: 443 }, caBundle: 'YQ==' },
      conversionReviewVersions: ['v1'],
    };
    const object = crd({
      versions: [
        { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } },
        {
          name: 'v2',
          served: false,
          storage: false,
          deprecated: true,
          deprecationWarning: 'old',
          schema: { openAPIV3Schema: { type: 'object' } },
          subresources: { status: {} },
          additionalPrinterColumns: [column],
          selectableFields: [{ jsonPath: '.a' }],
        },
      ],
      conversion: { strategy: 'Webhook', webhook },
      preserveUnknownFields: true,
    });
    const stored = parseJson(form.encode(object)) as KubeObject & { spec: Record<string, unknown> };
    assert.deepEqual(stored.spec.subresources, { status: {} });
    assert.equal(stored.spec.validation, undefined);
    assert.deepEqual(stored.spec.conversion, {
      strategy: 'Webhook',
      webhookClientConfig: webhook.clientConfig,
      conversionReviewVersions: ['v1'],
    });
    assert.deepEqual(read(object), object);
  });

  it('is not current in v1, the version of former releases', () => {
    assert.ok(!form.has(Buffer.from(JSON.stringify(crd({ versions: [] })))));
  });
});
