import assert from 'node:assert/strict';
import type { FeatureGates } from '@apichain/apiserver-options';
import { call, TestServers } from '../server.fixture.ts';

/** The gates of a server on which these are open. */
const gates = (...open: readonly string[]): FeatureGates => ({
  known: () => ({}),
  given: new Map(),
  isOpen: (gate) => open.includes(gate),
});

describe('discovery over HTTP', () => {
  const servers = new TestServers();

  it('checks method and media type for the discovery of built-in groups only', async () => {
    const handler = { handle: () => Promise.resolve() };
    const target = await servers.start({ installer: () => handler }, (server) => {
      server.installApiGroup({ group: 'own.example.com', versions: ['v1'], storages: new Map() });
      const priorities = { groupPriorityMinimum: 1000, versionPriority: {} };
      server.setGroupVersion({ group: 'custom.example.com', version: 'v1' }, handler, [], priorities);
    });
    const ask = async (path: string, method: string, accept = '*/*') =>
      (await call(target, path, { as: servers.certificates.admin, method, headers: { accept } })).status;
    for (const path of ['/api', '/apis/own.example.com', '/apis/own.example.com/v1']) {
      assert.equal(await ask(path, 'POST'), 405, path);
      assert.equal(await ask(path, 'GET', 'application/*'), 406, path);
    }
    for (const path of ['/apis', '/apis/custom.example.com', '/apis/custom.example.com/v1']) {
      assert.equal(await ask(path, 'POST'), 200, path);
      assert.equal(await ask(path, 'GET', 'application/*'), 200, path);
    }
  });

  it('has CBOR for the resources of a built-in version, not for custom resources and lists of groups', async () => {
    const handler = { handle: () => Promise.resolve() };
    const features = gates('CBORServingAndStorage');
    const target = await servers.start({ installer: () => handler, features }, (server) => {
      server.installApiGroup({ group: 'own.example.com', versions: ['v1'], storages: new Map() });
      const priorities = { groupPriorityMinimum: 1000, versionPriority: {} };
      server.setGroupVersion({ group: 'custom.example.com', version: 'v1' }, handler, [], priorities);
    });
    const ask = (path: string) =>
      call(target, path, { as: servers.certificates.admin, headers: { accept: 'application/cbor' } });
    assert.equal((await ask('/apis/own.example.com/v1')).status, 200);
    for (const path of ['/api', '/apis', '/apis/own.example.com', '/apis/custom.example.com/v1']) {
      const { status, text, headers } = await ask(path);
      assert.equal(status, 406, path);
      assert.equal(headers['content-type'], 'application/json', path);
      assert.doesNotMatch(text, /cbor/);
    }
    const both = { accept: 'application/cbor, */*' };
    const response = await call(target, '/apis/custom.example.com/v1', {
      as: servers.certificates.admin,
      headers: both,
    });
    assert.equal(response.headers['content-type'], 'application/json');
  });
});
