import assert from 'node:assert/strict';
import { call, TestServers } from './server.fixture.ts';

describe('paths', () => {
  const servers = new TestServers();

  it('hides unknown paths until all are installed', async () => {
    let release = () => undefined as void;
    const target = await servers.start({}, (server) => {
      release = server.holdUnknownPaths();
    });
    const early = await call(target, '/nope', { as: servers.certificates.admin });
    assert.equal(early.status, 503);
    assert.equal(early.headers['retry-after'], '5');
    assert.match(String(early.json['message']), /before all known HTTP paths/);
    release();
    assert.equal((await call(target, '/nope', { as: servers.certificates.admin })).status, 404);
  });

  it('answers unknown paths as the router responsible for them', async () => {
    const target = await servers.start();
    const below = await call(target, '/version/x', { as: servers.certificates.admin });
    assert.equal(below.json['message'], 'the server could not find the requested resource');
    const posted = await call(target, '/version', { as: servers.certificates.admin, method: 'POST' });
    assert.equal(posted.json['message'], 'the server does not allow this method on the requested resource');
    const yaml = await call(target, '/version', {
      as: servers.certificates.admin,
      headers: { accept: 'application/yaml' },
    });
    assert.equal(yaml.status, 406);
    const doubled = await call(target, '//api/v1/nodes', { as: servers.certificates.admin });
    assert.equal(doubled.text, '404 page not found\n');
  });

  it('ignores trailing slashes for a path of its router, and has no aggregated form of /apis/', async () => {
    const target = await servers.start({ installer: () => ({ handle: () => Promise.resolve() }) }, (server) => {
      server.installApiGroup({ group: 'own.example.com', versions: ['v1'], storages: new Map() });
    });
    const ask = async (path: string, accept = 'application/json') =>
      (await call(target, path, { as: servers.certificates.admin, headers: { accept } })).status;
    for (const path of ['/api', '/version', '/apis/own.example.com', '/apis/own.example.com/v1']) {
      for (const slashes of ['/', '//', '///']) assert.equal(await ask(path + slashes), 200, path + slashes);
    }
    for (const path of ['/apis//', '/healthz/', '/metrics/']) assert.equal(await ask(path), 404, path);
    const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    assert.equal(await ask('/apis', aggregated), 200);
    assert.equal(await ask('/apis/', aggregated), 406);
  });
});
