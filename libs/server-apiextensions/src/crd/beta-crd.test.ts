import assert from 'node:assert/strict';
import { jsonCodec } from '@apichain/storage';
import { readBetaCrd } from './beta-crd.ts';

const stored = (spec: unknown, version = 'v1beta1') =>
  Buffer.from(
    `{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/${version}","metadata":{"name":"a.b"},"spec":${JSON.stringify(spec)}}\n`,
  );
const read = (spec: unknown) => readBetaCrd(stored(spec))?.['spec'];

describe('a v1beta1 CustomResourceDefinition stored by kube-apiserver', () => {
  it('applies top-level fields to each version', () => {
    const column = { name: 'A', type: 'string' };
    assert.deepEqual(
      read({
        group: 'b',
        version: 'v1',
        versions: [
          { name: 'v1', served: true, storage: true },
          { name: 'v2', served: true, storage: false },
        ],
        validation: { openAPIV3Schema: { type: 'object' } },
        subresources: { status: {} },
        additionalPrinterColumns: [{ ...column, JSONPath: '.a' }],
        selectableFields: [{ jsonPath: '.a' }],
        conversion: { strategy: 'None' },
        preserveUnknownFields: false,
      }),
      {
        group: 'b',
        versions: ['v1', 'v2'].map((name) => ({
          name,
          served: true,
          storage: name === 'v1',
          schema: { openAPIV3Schema: { type: 'object' } },
          subresources: { status: {} },
          additionalPrinterColumns: [{ ...column, jsonPath: '.a' }],
          selectableFields: [{ jsonPath: '.a' }],
        })),
        conversion: { strategy: 'None' },
      },
    );
  });

  it('may differ by version, and have a webhook that converts', () => {
    const clientConfig = { url: 'https://x' };
    assert.deepEqual(
      read({
        version: 'v1',
        versions: [{ name: 'v1', schema: { openAPIV3Schema: {} }, additionalPrinterColumns: [{ JSONPath: '.b' }] }],
        conversion: { strategy: 'Webhook', webhookClientConfig: clientConfig, conversionReviewVersions: ['v1'] },
        preserveUnknownFields: true,
      }),
      {
        versions: [{ name: 'v1', schema: { openAPIV3Schema: {} }, additionalPrinterColumns: [{ jsonPath: '.b' }] }],
        conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
        preserveUnknownFields: true,
      },
    );
  });

  it('gets the defaults of v1beta1', () => {
    assert.deepEqual(read({ version: 'v1' }), {
      versions: [{ name: 'v1', served: true, storage: true }],
      conversion: { strategy: 'None' },
      preserveUnknownFields: true,
    });
  });

  it('is decoded from the store, although it has the layout of v1', () => {
    const codec = jsonCodec({ fromForeign: readBetaCrd, foreignLooksOwn: true });
    const read = JSON.parse(codec.decode(stored({ version: 'v1' }), 7).toString()) as Record<string, unknown>;
    assert.equal(read['apiVersion'], 'apiextensions.k8s.io/v1');
    assert.deepEqual(read['metadata'], { resourceVersion: '7', name: 'a.b' });
    assert.match(codec.decode(stored({}, 'v1'), 7).toString(), /"resourceVersion":"7","name":"a.b"/);
  });

  it('is not converted in its own version', () => {
    assert.equal(readBetaCrd(stored({}, 'v1')), undefined);
  });
});
