import assert from 'node:assert/strict';
import type { Authorizer } from '@apichain/authz';
import { call, installEcho, TestServers } from './server.fixture.ts';

const servers = new TestServers();
const withoutGate = (name: string) => ({
  features: { known: () => ({}), given: new Map([[name, 'false']]), isOpen: (gate: string) => gate !== name },
});

describe('feature gates of requests', () => {
  it('WatchList=false refuses watches that ask for the initial state', async () => {
    const path = '/api/v1/pods?watch=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true';
    const as = servers.certificates.admin;
    const refusing = await servers.start(withoutGate('WatchList'), installEcho);
    const { status, text } = await call(refusing, path, { as });
    assert.equal(status, 422);
    const { message } = JSON.parse(text) as { message: string };
    assert.equal(
      message,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    );
    assert.notEqual((await call(refusing, '/api/v1/pods?watch=true', { as })).status, 422);
    assert.notEqual((await call(await servers.start({}, installEcho), path, { as })).status, 422);
  });

  it('ConstrainedImpersonation=false leaves only the verb impersonate', async () => {
    const asked: string[] = [];
    const authorizer: Authorizer = {
      authorize: ({ verb }) => {
        asked.push(verb);
        return { decision: verb.startsWith('impersonate:') ? 'Allow' : 'NoOpinion', reason: '' };
      },
    };
    const headers = { 'impersonate-user': 'zoe' };
    const as = servers.certificates.admin;
    const target = await servers.start({ authorizer, ...withoutGate('ConstrainedImpersonation') }, installEcho);
    assert.equal((await call(target, '/whoami', { as, headers })).status, 403);
    assert.deepEqual(asked, ['impersonate']);
  });
});
