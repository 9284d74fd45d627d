import assert from 'node:assert/strict';
import type { WebhookClient } from '@apichain/admission';
import type { CustomResourceDefinition } from '@apichain/schema';
import { decodeObject } from '@apichain/scheme';
import { Registry } from 'prom-client';
import { conversionMetrics } from './conversion-metrics.ts';
import { WebhookConverter, reviewType } from './webhook-converter.ts';

const crd: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', names: {}, versions: [] },
    conversion: { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } },
  },
};
const gadget = (version: string, kind = 'Gadget') => ({
  apiVersion: `example.com/${version}`,
  kind,
  metadata: { name: 'g' },
});

const gadgetType = { kind: 'Gadget', apiVersion: 'example.com/v2' };

type Review = { request: { uid: string } };
const clientOf = (respond: (review: Review) => object): Pick<WebhookClient, 'post'> => ({
  post: async (_config, review: object) => ({ ...respond(review as Review) }),
});
const reviewed =
  (convertedObjects: readonly object[]) =>
  ({ request: { uid } }: Review) => ({
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    response: { uid, result: { status: 'Success' }, convertedObjects },
  });

describe('conversion by webhooks', () => {
  it('is counted by result', async () => {
    const registry = new Registry();
    const observe = conversionMetrics(registry);
    const convert = (respond: (review: Review) => object) =>
      new WebhookConverter(crd, clientOf(respond), observe).convert([gadget('v1')], 'example.com/v2');
    await convert(reviewed([gadget('v2')]));
    const failing = () => {
      throw new Error('no response');
    };
    for (const respond of [failing, () => ({}), reviewed([]), reviewed([gadget('v2', 'Other')])]) {
      await assert.rejects(convert(respond));
    }
    // Objects that already have the version need no webhook call.
    await new WebhookConverter(crd, clientOf(reviewed([])), observe).convert([gadget('v2')], 'example.com/v2');
    const text = await registry.metrics();
    const count = (failure: string, result = 'failure') =>
      assert.ok(
        text.includes(`apiserver_conversion_webhook_request_total{result="${result}",failure_type="${failure}"} 1\n`),
        failure,
      );
    count('', 'success');
    count('conversion_webhook_call_failure');
    count('conversion_webhook_malformed_response_failure');
    count('conversion_webhook_partial_response_failure');
    count('conversion_webhook_invalid_converted_object_failure');
    const labels = 'crd_name="gadgets.example.com",from_version="v1",to_version="v2"';
    assert.ok(
      text.includes(`apiserver_crd_conversion_webhook_duration_seconds_count{${labels},succeeded="false"} 4\n`),
    );
  });

  it('omits metadata that a webhook clears, and ignores the kind beside a malformed apiVersion', async () => {
    const labelled = { ...gadget('v1'), metadata: { name: 'g', labels: { a: 'b' } } };
    const convert = (object: object) =>
      new WebhookConverter(crd, clientOf(reviewed([object]))).convert([labelled], 'example.com/v2');
    const [emptied] = await convert({ ...gadget('v2'), metadata: { name: 'g', labels: {}, annotations: {} } });
    assert.deepEqual(emptied?.metadata, { name: 'g' });
    await assert.rejects(
      convert({ ...gadget('v2'), apiVersion: 'a/b/c' }),
      /^StatusError: Object 'Kind' is missing in/,
    );
  });

  it('sorts the members of what a webhook returns, as the JSON of a Go map', async () => {
    const returned = { spec: { size: 1, list: [{ b: 1, a: 2 }] }, metadata: { name: 'g', labels: { z: '1', b: '2' } } };
    const [sorted] = await new WebhookConverter(crd, clientOf(reviewed([{ ...returned, ...gadgetType }]))).convert(
      [
        {
          metadata: { name: 'g', creationTimestamp: '2026-01-01T00:00:00Z' },
          ...gadgetType,
          apiVersion: 'example.com/v1',
        },
      ],
      'example.com/v2',
    );
    assert.equal(
      JSON.stringify(sorted),
      '{"apiVersion":"example.com/v2","kind":"Gadget","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z",' +
        '"labels":{"b":"2","z":"1"},"name":"g"},"spec":{"list":[{"a":2,"b":1}],"size":1}}',
    );
  });
});

describe('responses of conversion webhooks', () => {
  it('are read in both versions', () => {
    const response = { uid: 'u', convertedObjects: [{ kind: 'A' }], result: { metadata: {}, status: 'Success' } };
    for (const version of ['v1', 'v1beta1']) {
      const type = reviewType({ group: 'apiextensions.k8s.io', version, kind: 'ConversionReview' });
      assert.ok(type !== undefined, version);
      assert.deepEqual(
        decodeObject({ kind: 'ConversionReview', response, more: 1 }, type).object['response'],
        response,
      );
    }
    assert.equal(reviewType({ group: 'apiextensions.k8s.io', version: 'v1', kind: 'Other' }), undefined);
    assert.ok(reviewType({ group: '', version: 'v1', kind: 'Status' }) !== undefined);
  });
});
