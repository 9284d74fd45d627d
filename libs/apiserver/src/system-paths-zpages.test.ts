import assert from 'node:assert/strict';
import { call, TestServers } from './server.fixture.ts';

const servers = new TestServers();

describe('z-pages', () => {
  const pages = { profiling: true, statusz: true, flags: () => ({ 'secure-port': '6443', v: '2' }) };

  async function get(path: string, accept: string | undefined, agent = 'test') {
    const target = await servers.start({ pages });
    const headers = { 'User-Agent': agent, ...(accept === undefined ? {} : { Accept: accept }) };
    return call(target, path, { as: servers.certificates.admin, headers });
  }

  it('are text by default', async () => {
    for (const accept of [undefined, '*/*', 'text/plain', 'application/json, */*', 'text/*']) {
      const response = await get('/statusz', accept);
      assert.equal(response.status, 200, accept);
      assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8');
      assert.match(
        response.text,
        /^\napiserver statusz\nWarning: .*\n\nStarted.* \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}\nUp.* \d+ hr \d\d min \d\d sec\n/,
      );
      assert.match(response.text, /\nEmulation version.* 1\.36\nPaths.* \/flagz \/healthz \/livez \/metrics .*\n$/);
    }
    const flags = await get('/flagz', undefined);
    assert.match(flags.text, /^\napiserver flagz\nWarning: .*\nsecure-port(:|: |=| )6443\nv\1\x32\n$/);
  });

  it('are objects when Accept names their kind', async () => {
    const status = await get('/statusz', 'application/json;v=v1beta1;g=config.k8s.io;as=Statusz');
    assert.equal(status.headers['content-type'], 'application/json');
    assert.equal(status.headers['warning'], undefined);
    const { startTime, uptimeSeconds, goVersion, binaryVersion, paths, ...rest } = status.json;
    assert.deepEqual(rest, {
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1beta1',
      metadata: { name: 'apiserver' },
      emulationVersion: '1.36',
    });
    assert.match(String(startTime), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.ok(Number(uptimeSeconds) >= 0);
    assert.equal(goVersion, process.version);
    assert.match(String(binaryVersion), /^1\.36\./);
    assert.deepEqual(paths, ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version']);
    const flags = await get('/flagz', 'text/html, application/json;v=v1alpha1;g=config.k8s.io;as=Flagz');
    assert.deepEqual(flags.json, {
      kind: 'Flagz',
      apiVersion: 'config.k8s.io/v1alpha1',
      metadata: { name: 'apiserver' },
      flags: { 'secure-port': '6443', v: '2' },
    });
    assert.equal(
      flags.headers['warning'],
      '299 - "This version of the flagz endpoint is deprecated. Please use a newer version."',
    );
    const yaml = await get('/flagz', 'application/yaml;v=v1beta1;g=config.k8s.io;as=Flagz');
    assert.match(yaml.text, /^apiVersion: config.k8s.io\/v1beta1\nflags:\n/);
  });

  it('have no other form', async () => {
    for (const accept of [
      'application/json',
      'text/html',
      'application/json;v=v1;g=config.k8s.io;as=Statusz',
      'application/json;v=v1beta1;g=config.k8s.io;as=Flagz',
      'text/plain;v=v1beta1;g=config.k8s.io;as=Statusz',
      'application/vnd.kubernetes.protobuf;v=v1beta1;g=config.k8s.io;as=Statusz',
    ]) {
      const response = await get('/statusz', accept);
      assert.equal(response.status, 406, accept);
      assert.equal(
        response.json['message'],
        'only the following media types are accepted: application/json, application/yaml, text/plain',
      );
    }
  });

  it('are served only with their feature gates, and only to authorized users', async () => {
    const target = await servers.start({ pages: { profiling: false, statusz: false } });
    for (const path of ['/statusz', '/flagz', '/debug/pprof/', '/debug/flags/v']) {
      assert.equal((await call(target, path, { as: servers.certificates.admin })).status, 404, path);
    }
    const open = await servers.start({ pages });
    for (const path of ['/statusz', '/flagz', '/debug/pprof/', '/debug/flags/v', '/metrics/slis']) {
      assert.equal((await call(open, path, { as: servers.certificates.bob })).status, 403, path);
    }
  });
});
