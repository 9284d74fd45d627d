import assert from 'node:assert/strict';
import { attributesOf } from '../attributes.fixture.ts';
import { Readable } from 'node:stream';
import { ReviewWebhook, type TransportRequest } from '@apichain/client';
import { MatchConditions } from './match-conditions.ts';
import { WebhookAuthorizer, type WebhookAuthorizerOptions } from './webhook-authorizer.ts';

const asked = attributesOf({
  user: { name: 'alice', uid: 'u1', groups: ['g'], extra: { scopes: ['a'] } },
  verb: 'list',
  fieldSelector: 'spec.nodeName=n1,status.phase!=Failed',
  labelSelector: 'app in (a,b),!old',
});

interface WebhookReply {
  readonly status?: number;
  readonly body: string;
}

const dump = () => Promise.resolve();

/** An authorizer whose webhook returns these responses in order, and the requests that the webhook received. */
function authorizerWith(
  replies: readonly (WebhookReply | { allowed?: boolean; denied?: boolean; reason?: string })[],
  version = 'v1',
  more: Partial<WebhookAuthorizerOptions> = {},
) {
  const reviews: Record<string, unknown>[] = [];
  const send = ({ body }: TransportRequest) => {
    const next = replies[Math.min(reviews.length, replies.length - 1)] ?? {};
    reviews.push(JSON.parse(String(body)) as Record<string, unknown>);
    const { status = 200, body: text } = 'body' in next ? next : { body: JSON.stringify({ status: next }) };
    return Promise.resolve({ status, headers: {}, body: Object.assign(Readable.from([Buffer.from(text)]), { dump }) });
  };
  const webhook = new ReviewWebhook({
    transport: { send, close: () => Promise.resolve() },
    path: '/authorize',
    initialBackoffMs: 1,
  });
  const ttl = { authorizedTtlMs: 60_000, unauthorizedTtlMs: 0 };
  return { authorizer: new WebhookAuthorizer({ webhook, version, ...ttl, ...more }), reviews };
}

describe('the webhook authorizer', () => {
  it('sends a SubjectAccessReview and caches the result', async () => {
    const { authorizer, reviews } = authorizerWith([{ allowed: true, reason: 'sure' }]);
    assert.deepEqual(await authorizer.authorize(asked), { decision: 'Allow', reason: 'sure' });
    assert.deepEqual(await authorizer.authorize(asked), { decision: 'Allow', reason: 'sure' });
    assert.deepEqual(reviews, [
      {
        kind: 'SubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        metadata: {},
        spec: {
          resourceAttributes: {
            namespace: 'ns',
            verb: 'list',
            version: 'v1',
            resource: 'pods',
            fieldSelector: {
              requirements: [
                { key: 'spec.nodeName', operator: 'In', values: ['n1'] },
                { key: 'status.phase', operator: 'NotIn', values: ['Failed'] },
              ],
            },
            labelSelector: {
              requirements: [
                { key: 'app', operator: 'In', values: ['a', 'b'] },
                { key: 'old', operator: 'DoesNotExist' },
              ],
            },
          },
          user: 'alice',
          groups: ['g'],
          extra: { scopes: ['a'] },
          uid: 'u1',
        },
        status: { allowed: false },
      },
    ]);
  });

  it('uses the old name of groups in v1beta1, and omits invalid selectors', async () => {
    const { authorizer, reviews } = authorizerWith([{ allowed: false }], 'v1beta1');
    await authorizer.authorize({ ...asked, fieldSelector: 'x', labelSelector: '!!' });
    await authorizer.authorize({ ...asked, isResourceRequest: false, path: '/metrics', verb: 'get' });
    const [first, second] = reviews.map(({ spec }) => spec as Record<string, unknown>);
    assert.deepEqual(first?.['group'], ['g']);
    assert.deepEqual(first?.['resourceAttributes'], { namespace: 'ns', verb: 'list', version: 'v1', resource: 'pods' });
    assert.deepEqual(second?.['nonResourceAttributes'], { path: '/metrics', verb: 'get' });
  });

  it('distinguishes denial, no opinion and contradiction', async () => {
    const { authorizer } = authorizerWith([{ denied: true, reason: 'no' }, {}, { allowed: true, denied: true }]);
    assert.deepEqual(await authorizer.authorize(asked), { decision: 'Deny', reason: 'no' });
    assert.deepEqual(await authorizer.authorize(asked), { decision: 'NoOpinion', reason: '' });
    assert.deepEqual(await authorizer.authorize(asked), {
      decision: 'Deny',
      reason: '',
      evaluationError: 'webhook subject access review returned both allow and deny response',
    });
  });

  it('retries temporary failures, then fails', async () => {
    const busy = { status: 500, body: 'busy' };
    const passing = authorizerWith([busy, busy, { allowed: true }]);
    assert.equal((await passing.authorizer.authorize(asked)).decision, 'Allow');
    assert.equal(passing.reviews.length, 3);
    const lasting = authorizerWith([busy]);
    assert.deepEqual(await lasting.authorizer.authorize(asked), {
      decision: 'NoOpinion',
      reason: '',
      evaluationError: 'an error on the server ("busy") has prevented the request from succeeding',
    });
    assert.equal(lasting.reviews.length, 5);
    const refusing = authorizerWith([{ status: 403, body: '{"kind":"Status","message":"who are you?"}' }]);
    assert.equal((await refusing.authorizer.authorize(asked)).evaluationError, 'who are you?');
    assert.equal(refusing.reviews.length, 1);
    const curt = authorizerWith([{ status: 418, body: 'tea' }]);
    assert.equal(
      (await curt.authorizer.authorize(asked)).evaluationError,
      'the server responded with the status code 418 but did not return more information',
    );
  });

  it('sends only requests that its match conditions select', async () => {
    const conditions = (...expressions: string[]) =>
      authorizerWith([{ allowed: true }], 'v1', {
        decisionOnError: 'Deny',
        matchConditions: new MatchConditions(expressions.map((expression) => ({ expression }))),
      });
    const { authorizer, reviews } = conditions(
      'has(request.resourceAttributes) && !has(request.nonResourceAttributes)',
      "request.resourceAttributes.namespace == 'ns' && 'g' in request.groups && request.extra['scopes'][0] == 'a'",
      "request.resourceAttributes.labelSelector.requirements.exists(r, r.key == 'app' && 'b' in r.values)",
      "request.resourceAttributes.subresource == '' && request.uid == 'u1'",
    );
    assert.equal((await authorizer.authorize(asked)).decision, 'Allow');
    assert.deepEqual(await authorizer.authorize({ ...asked, namespace: 'x' }), { decision: 'NoOpinion', reason: '' });
    assert.equal(reviews.length, 1);
    const broken = conditions("request.extra['none'][0] == 'a'", "request.user != 'bob'").authorizer;
    assert.deepEqual(await broken.authorize(asked), {
      decision: 'Deny',
      reason: '',
      evaluationError:
        "cel evaluation error: expression 'request.extra['none'][0] == 'a'' resulted in error: no such key: none",
    });
    const other = { ...asked, user: { ...asked.user, name: 'bob' } };
    assert.deepEqual(await broken.authorize(other), { decision: 'NoOpinion', reason: '' });
  });

  it('denies without a result when failurePolicy is Deny', async () => {
    const { authorizer } = authorizerWith([{ status: 400, body: '{"kind":"Status","message":"no"}' }], 'v1', {
      decisionOnError: 'Deny',
    });
    assert.deepEqual(await authorizer.authorize(asked), { decision: 'Deny', reason: '', evaluationError: 'no' });
  });
});
