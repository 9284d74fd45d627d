import assert from 'node:assert/strict';
import { decodeObject } from '@apichain/scheme';
import { reviewType } from './review-type.ts';

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
