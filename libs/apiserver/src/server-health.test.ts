import assert from 'node:assert/strict';
import { call, TestServers } from './server.fixture.ts';
import { defaultLimits } from './server-config.ts';
import type { GenericApiServer } from './server.ts';

describe('health', () => {
  const servers = new TestServers();

  it('serves health, version and the index', async () => {
    const target = await servers.start();
    const health = await call(target, '/readyz');
    assert.equal(health.status, 200);
    assert.equal(health.text, 'ok');
    assert.equal(health.headers['x-content-type-options'], 'nosniff');
    assert.ok(health.headers['audit-id']);
    assert.equal(health.headers['cache-control'], 'no-cache, private');
    const verbose = await call(target, '/readyz?verbose&exclude=log&exclude=nope');
    assert.equal(
      verbose.text,
      '[+]ping ok\n[+]log excluded: ok\n[+]informer-sync ok\n[+]poststarthook/max-in-flight-filter ok\n[+]shutdown ok\n' +
        'warn: some health checks cannot be excluded: no matches for "nope"\nreadyz check passed\n',
    );
    assert.equal((await call(target, '/healthz/ping', { as: servers.certificates.admin })).text, 'ok');
    assert.equal(
      (await call(target, '/healthz/none', { as: servers.certificates.admin })).text,
      '404 page not found\n',
    );
    const version = await call(target, '/version');
    assert.equal(version.json['minor'], '36');
    const index = await call(target, '/', { as: servers.certificates.admin });
    assert.ok((index.json['paths'] as string[]).includes('/livez/ping'));
    assert.match(
      (await call(target, '/metrics', { as: servers.certificates.admin })).text,
      /apiserver_request_total\{/,
    );
  });

  it('names failing checks without their reason', async () => {
    const target = await servers.start({}, (server) =>
      server.health.add({ name: 'etcd', group: 'storage', check: () => Promise.reject(new Error('down')) }),
    );
    const failed = await call(target, '/livez');
    assert.equal(failed.status, 500);
    assert.equal(
      failed.text,
      '[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[-]etcd failed: reason withheld\n' +
        '[+]poststarthook/max-in-flight-filter ok\nlivez check failed\n',
    );
    assert.equal((await call(target, '/livez?exclude=storage')).status, 200);
    assert.equal(
      (await call(target, '/livez/etcd', { as: servers.certificates.admin })).text,
      'internal server error: down\n',
    );
  });

  it('ignores unfinished hooks on /livez in the grace period', async () => {
    const hang = (server: GenericApiServer) => server.addPostStartHook('slow', () => new Promise(() => undefined));
    const strict = await servers.start({}, hang);
    assert.equal((await call(strict, '/livez')).status, 500);
    const lenient = await servers.start({ limits: { ...defaultLimits, livezGraceMs: 60_000 } }, hang);
    assert.equal((await call(lenient, '/livez')).status, 200);
    assert.equal((await call(lenient, '/readyz')).status, 500);
    assert.equal((await call(lenient, '/healthz')).status, 500);
  });
});
