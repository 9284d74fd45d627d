import assert from 'node:assert/strict';
import { InProcessDelegationTarget } from '@apichain/delegation';
import { HttpDelegationTarget } from '@apichain/delegation';
import type { DelegationTarget } from '@apichain/delegation';
import { call, TestServers, type TestServer } from './server.fixture.ts';

const servers = new TestServers();

describe('health of a chain', () => {
  let fails: boolean;

  async function next(): Promise<TestServer> {
    fails = false;
    return servers.start({}, (server) => {
      server.health.add({
        name: 'deep',
        group: 'far',
        check: () => {
          if (fails) throw new Error('gone');
        },
      });
    });
  }

  const entry = (delegate: DelegationTarget) =>
    servers.start({ delegate }, (server) => server.health.add({ name: 'near', check: () => undefined }));

  const overHttp = (url: string) =>
    new HttpDelegationTarget({
      url,
      ca: servers.certificates.ca.certificate,
      clientCertificate: servers.certificates.frontProxy.certificate,
      clientKey: servers.certificates.frontProxy.key,
    });

  it('is that of all servers in a process', async () => {
    const target = await entry(new InProcessDelegationTarget((await next()).server));
    for (const probe of ['healthz', 'livez', 'readyz']) {
      const { text } = await call(target, `/${probe}?verbose`);
      assert.match(text, /\[\+\]near ok\n/);
      assert.match(text, /\[\+\]deep ok\n/);
      assert.equal(text.match(/ping ok/g)?.length, 1);
      assert.match(text, /^\[\+\]ping ok\n\[\+\]log ok\n/);
      assert.ok(text.indexOf('deep') < text.indexOf('near'), 'those behind come first');
      if (probe === 'readyz') assert.match(text, /\[\+\]shutdown ok\nreadyz check passed\n$/);
      assert.ok(text.endsWith(`\n${probe} check passed\n`));
    }
    fails = true;
    const failing = await call(target, '/livez');
    assert.equal(failing.status, 500);
    assert.match(failing.text, /\[-\]deep failed: reason withheld\n\[\+\]near ok\nlivez check failed\n$/);
    for (const name of ['deep', 'far', 'delegate']) {
      assert.equal((await call(target, `/livez?exclude=${name}`)).status, 200, name);
    }
    const { text } = await call(target, '/livez?verbose&exclude=deep&exclude=near&exclude=nope');
    assert.match(text, /deep excluded: ok\n/);
    assert.match(text, /\nwarn: some health checks cannot be excluded: no matches for "nope"\n/);
    const quoted = await call(target, '/livez?verbose&exclude=a%22b');
    assert.match(quoted.text, /no matches for "a\\"b"\n/);
    const several = await call(target, '/livez?verbose&exclude=c&exclude=a,b&exclude=deep');
    assert.match(several.text, /no matches for "a,b","c"\n/);
  });

  it('includes the informers, and lists the paths of all servers', async () => {
    const target = await servers.start({ delegate: new InProcessDelegationTarget((await next()).server) }, (server) =>
      server.addPostStartHook('generic-apiserver-start-informers', () => new Promise(() => undefined)),
    );
    const { admin: as } = servers.certificates;
    const waiting = await call(target, '/readyz/informer-sync', { as });
    assert.equal(waiting.status, 500);
    assert.match(waiting.text, /1 informers not started yet: \[generic-apiserver-start-informers\]/);
    assert.equal((await call(target, '/livez/informer-sync', { as })).status, 404);
    const { paths } = (await call(target, '/', { as })).json as { paths: string[] };
    for (const path of ['/readyz/informer-sync', '/livez/deep', '/metrics']) assert.ok(paths.includes(path), path);
    assert.deepEqual(paths, [...new Set(paths)].sort());
  });

  it('includes a next server in another process, except for its liveness', async () => {
    const behind = await next();
    const target = await entry(overHttp(behind.url));
    for (const probe of ['healthz', 'readyz'])
      assert.match((await call(target, `/${probe}?verbose`)).text, /\[\+\]deep ok\n/, probe);
    assert.doesNotMatch((await call(target, '/livez?verbose')).text, /deep/);
    fails = true;
    assert.equal((await call(target, '/livez')).status, 200);
    assert.equal((await call(target, '/readyz')).status, 500);
    assert.equal((await call(target, '/healthz')).status, 500);
    assert.equal((await call(target, '/healthz?exclude=deep')).status, 200);
    await behind.server.shutdown();
    const gone = await call(target, '/readyz');
    assert.equal(gone.status, 500);
    assert.match(gone.text, /\[-\]delegate failed: reason withheld\n/);
    assert.equal((await call(target, '/livez')).status, 200);
  });
});
