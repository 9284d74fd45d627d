import assert from 'node:assert/strict';
import { call } from './call.fixture.ts';
import { startChain } from './start-chain.ts';
import { type TestChain } from './test-chain.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('audit', () => {
  let chain: TestChain;
  before(async () => {
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

  it('records requests and responses', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text: 'grüße' } };
    assert.equal((await call(chain, configMaps, body, chain.users['alice'])).status, 201);
    assert.equal((await call(chain, configMaps, body)).status, 409);
    const [created, refused] = chain.requests;
    assert.deepEqual(created?.requestObject, body);
    assert.deepEqual((created?.responseObject as { data: unknown }).data, body.data);
    assert.deepEqual([created?.user, created?.status, refused?.status], ['alice', 201, 409]);
    const event = chain.auditEvents[1];
    assert.match(event?.auditID ?? '', /^[\da-f-]{36}$/);
    const { auditID: _id, requestReceivedTimestamp: _received, stageTimestamp: _stage, ...rest } = event ?? {};
    const status = { status: 'Failure', message: 'configmaps "a" already exists', reason: 'AlreadyExists' };
    const details = { name: 'a', kind: 'configmaps' };
    const extra = event?.user.extra;
    assert.match(extra?.['authentication.kubernetes.io/credential-id']?.[0] ?? '', /^X509SHA256=/);
    assert.deepEqual(rest, {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      stage: 'ResponseComplete',
      requestURI: configMaps,
      verb: 'create',
      user: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'], extra },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'the-test',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
      responseStatus: { metadata: {}, ...status, details, code: 409 },
      requestObject: body,
      responseObject: { kind: 'Status', apiVersion: 'v1', metadata: {}, ...status, details, code: 409 },
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    });
  });

  it('records the level of the first matching rule', async () => {
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

  it('clears events together with requests', async () => {
    await call(chain, `${configMaps}/none`);
    assert.equal(chain.auditEvents.length, 1);
    chain.clearRequests();
    assert.equal(chain.auditEvents.length, 0);
  });
});

describe('audit by a policy', () => {
  it('has the events that a cluster would log', async () => {
    await using chain = await startChain({
      audit: {
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Policy',
        rules: [
          { level: 'None', nonResourceURLs: ['*'] },
          { level: 'Request', users: ['alice'], resources: [{ group: '', resources: ['configmaps'] }] },
          { level: 'Metadata', omitStages: ['RequestReceived'] },
        ],
      },
      users: [{ name: 'alice', groups: ['system:masters'] }],
    });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    await call(chain, '/version');
    await call(chain, configMaps, body, chain.users['alice']);
    await call(chain, configMaps);
    assert.deepEqual(
      chain.auditEvents.map(({ stage, level, user, requestObject }) => [stage, level, user.username, requestObject]),
      [
        ['RequestReceived', 'Request', 'alice', undefined],
        ['ResponseComplete', 'Request', 'alice', body],
        ['ResponseComplete', 'Metadata', 'kubernetes-admin', undefined],
      ],
    );
    assert.equal(chain.requests.length, 3);
  });

  it('reports an invalid policy', async () => {
    await assert.rejects(startChain({ audit: { rules: [] } }), { message: 'loaded illegal policy with 0 rules' });
  });
});
