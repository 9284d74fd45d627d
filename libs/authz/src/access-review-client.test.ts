import assert from 'node:assert/strict';
import { RestClient, type Transport, type TransportRequest } from '@apichain/client';
import { isStatusError } from '@apichain/meta';
import { AccessReviewAuthorizer, ConfirmedAuthorizer } from './access-review-client.ts';
import type { AuthorizationAttributes, AuthorizationResult } from './authorizer.ts';

const question: AuthorizationAttributes = {
  user: { name: 'bob', uid: '', groups: ['dev'], extra: {} },
  isResourceRequest: true,
  path: '/api/v1/pods',
  verb: 'list',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
};

/** What another server is asked about a question. */
async function askedFor(attributes: AuthorizationAttributes): Promise<Record<string, unknown>> {
  let sent = '';
  const transport = {
    send: ({ body }: TransportRequest) => {
      sent = String(body);
      const answer = Object.assign([Buffer.from(sent)], { dump: () => Promise.resolve() });
      return Promise.resolve({ status: 201, headers: {}, body: answer });
    },
    close: () => Promise.resolve(),
  };
  const authorizer = new AccessReviewAuthorizer();
  authorizer.start(new RestClient(transport as unknown as Transport));
  await authorizer.authorize(attributes);
  const { spec } = JSON.parse(sent) as { spec: { resourceAttributes: Record<string, unknown> } };
  return spec.resourceAttributes;
}

describe('AccessReviewAuthorizer', () => {
  it('tells what a list selects, taken apart', async () => {
    const asked = await askedFor({ ...question, labelSelector: 'a=b', fieldSelector: 'spec.nodeName!=n' });
    assert.deepEqual(asked['labelSelector'], { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] });
    assert.deepEqual(asked['fieldSelector'], {
      requirements: [{ key: 'spec.nodeName', operator: 'NotIn', values: ['n'] }],
    });
  });

  it('asks about more where a selector cannot be read: that is no reason to fail', async () => {
    const asked = await askedFor({ ...question, labelSelector: 'a,,b', fieldSelector: 'x' });
    assert.deepEqual(
      Object.keys(asked).filter((name) => name.endsWith('Selector')),
      [],
    );
  });
});

describe('ConfirmedAuthorizer', () => {
  const saying = (answer: () => Promise<AuthorizationResult>) => ({ authorize: answer });
  const nobody = saying(() => Promise.resolve({ decision: 'NoOpinion', reason: '' }));
  const yes = saying(() => Promise.resolve({ decision: 'Allow', reason: 'yes' }));
  const unreachable = saying(() => Promise.reject(new Error('connect ECONNREFUSED')));

  it('allows what the copy allows while the owner cannot be reached, and says of the rest that nobody can tell', async () => {
    assert.equal((await new ConfirmedAuthorizer(yes, unreachable).authorize(question)).decision, 'Allow');
    await assert.rejects(new ConfirmedAuthorizer(nobody, unreachable).authorize(question), (error) => {
      assert.ok(isStatusError(error, 'ServiceUnavailable'));
      assert.equal(error.status.details?.retryAfterSeconds, 1);
      return true;
    });
  });
});
