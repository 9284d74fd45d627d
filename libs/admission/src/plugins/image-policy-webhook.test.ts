import assert from 'node:assert/strict';
import { testAttributes, testPod } from '../attributes.fixture.ts';
import { ImagePolicyWebhook } from './image-policy-webhook.ts';

describe('ImagePolicyWebhook', () => {
  const pod = (image: string) =>
    testPod(
      { containers: [{ name: 'c', image }], initContainers: [{ name: 'i', image: 'init' }] },
      { name: 'a', annotations: { 'x.image-policy.k8s.io/ticket': '1', other: '2' } },
    );
  const asked: unknown[] = [];
  const policy = (status: () => Record<string, unknown>, defaultAllow = false) =>
    new ImagePolicyWebhook({
      webhook: {
        status: (review) => {
          asked.push(review);
          return Promise.resolve().then(status);
        },
      },
      allowTtlMs: 1_000,
      denyTtlMs: 0,
      defaultAllow,
    });
  beforeEach(() => asked.splice(0));

  it('sends the images of a pod to a webhook, and caches the verdict', async () => {
    const plugin = policy(() => ({ allowed: true, auditAnnotations: { seen: 'yes' } }));
    const notes: [string, string][] = [];
    const attributes = testAttributes({ object: pod('x'), annotate: (key, value) => notes.push([key, value]) });
    await plugin.validate(attributes);
    await plugin.validate(attributes);
    assert.deepEqual(asked, [
      {
        kind: 'ImageReview',
        apiVersion: 'imagepolicy.k8s.io/v1alpha1',
        metadata: {},
        spec: {
          containers: [{ image: 'x' }, { image: 'init' }],
          annotations: { 'x.image-policy.k8s.io/ticket': '1' },
          namespace: 'ns',
        },
        status: { allowed: false },
      },
    ]);
    assert.deepEqual(notes[0], ['imagepolicywebhook.image-policy.k8s.io/seen', 'yes']);
    await plugin.validate(testAttributes({ object: pod('x'), subresource: 'status' }));
    await plugin.validate(testAttributes({ object: pod('y'), subresource: 'ephemeralcontainers' }));
    assert.equal(asked.length, 2);
  });

  it('refuses with the reason of the webhook', async () => {
    const refused = (status: Record<string, unknown>, message: string) =>
      assert.rejects(policy(() => status).validate(testAttributes({ object: pod('x') })), {
        message: `pods "a" is forbidden: ${message}`,
      });
    await refused({ reason: 'old' }, 'image policy webhook backend denied one or more images: old');
    await refused({ allowed: false }, 'one or more images rejected by webhook backend');
  });

  it('uses defaultAllow when the webhook does not respond', async () => {
    const fails = () => {
      throw new Error('nobody is there');
    };
    await assert.rejects(policy(fails).validate(testAttributes({ object: pod('x') })), {
      message: 'pods "a" is forbidden: nobody is there',
    });
    const object = pod('x');
    await policy(fails, true).validate(testAttributes({ object }));
    assert.equal(object.metadata.annotations?.['alpha.image-policy.k8s.io/failed-open'], 'true');
  });
});
