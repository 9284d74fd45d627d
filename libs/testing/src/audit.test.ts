import assert from 'node:assert/strict';
import { call } from './call.fixture.ts';
import { startChain, type TestChain } from './index.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('audit', () => {
  let chain: TestChain;
  before(async function () {
    this.timeout(60_000);
    chain = await startChain({
      audit: [
        { level: 'Request', match: { verb: 'delete' } },
        { level: 'None', match: { verb: 'list' } },
        { level: 'RequestResponse', match: { resource: 'configmaps' } },
      ],
      users: [{ name: 'alice', groups: ['system:masters'] }],
    });
  });
  after(() => chain.stop());
  beforeEach(() => chain.clearRequests());

  it('keeps what was sent and answered', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text: 'grüße' } };
    assert.equal((await call(chain, configMaps, body, chain.users['alice'])).status, 201);
    assert.equal((await call(chain, configMaps, body)).status, 409);
    const [created, refused] = chain.requests;
    assert.deepEqual(created?.requestObject, body);
    assert.deepEqual((created?.responseObject as { data: unknown }).data, body.data);
    assert.deepEqual([created?.user, created?.status, refused?.status], ['alice', 201, 409]);
    const event = chain.auditEvents[1];
    assert.match(event?.auditID ?? '', /^[\da-f-]{36}$/);
    const { auditID: _id, requestReceivedTimestamp: _time, responseObject, ...rest } = event ?? {};
    assert.equal((responseObject as { reason: string }).reason, 'AlreadyExists');
    assert.deepEqual(rest, {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      stage: 'ResponseComplete',
      requestURI: configMaps,
      verb: 'create',
      user: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
      userAgent: 'the-test',
      objectRef: { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' },
      responseStatus: { code: 409, status: 'Failure', reason: 'AlreadyExists' },
      requestObject: body,
    });
  });

  it('keeps as much as the first rule that fits says', async () => {
    await call(chain, configMaps);
    await call(
      chain,
      `${configMaps}/a`,
      { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] },
      chain.admin,
      'DELETE',
    );
    await call(chain, '/api/v1/namespaces/default/secrets/none');
    assert.equal(chain.requests.length, 3);
    assert.deepEqual(
      chain.auditEvents.map(({ level, verb, requestObject, responseObject }) => [
        level,
        verb,
        (requestObject as { dryRun: string[] }).dryRun,
        responseObject,
      ]),
      [['Request', 'delete', ['All'], undefined]],
    );
  });
});
