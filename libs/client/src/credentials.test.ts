import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inClusterConfig, NotInClusterError } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import { getConfig } from './operator/program.ts';
import { TokenFile } from './token-file.ts';
import { httpTransport } from './transport.ts';

describe('credentials of a client', () => {
  let directory: string;
  const path = (name: string) => join(directory, name);
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'apichain-credentials-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  describe('of a pod', () => {
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

    it('are the service account and the address in the environment', () => {
      writeFileSync(path('token'), 'secret');
      writeFileSync(path('ca.crt'), 'pem');
      const config = inClusterConfig({ env, directory });
      assert.deepEqual(config, { url: 'https://10.0.0.1:443', tokenFile: path('token'), ca: 'pem' });
    });

    it('may have an IPv6 address, and no authority', () => {
      writeFileSync(path('token'), 'secret');
      const config = inClusterConfig({ env: { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' }, directory });
      assert.deepEqual(config, { url: 'https://[fd00::1]:443', tokenFile: path('token') });
    });

    it('do not exist outside of a pod', () => {
      assert.throws(() => inClusterConfig({ env: {}, directory }), NotInClusterError);
      assert.throws(() => inClusterConfig({ env, directory }), /^Error: open .*token: no such file or directory$/);
    });
  });

  describe('of a program', () => {
    it('are those of KUBECONFIG, before those of a pod', () => {
      const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
      writeFileSync(path('token'), 'secret');
      const kubeconfig = {
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: 'https://server' } }],
        users: [{ name: 'u', user: { token: 'abc' } }],
      };
      writeFileSync(path('config'), JSON.stringify(kubeconfig));
      const env = { ...pod, KUBECONFIG: path('config') };
      assert.deepEqual(getConfig({ env, directory }), { url: 'https://server', token: 'abc' });
      assert.equal(getConfig({ env: { ...pod, KUBECONFIG: '' }, directory }).url, 'https://10.0.0.1:443');
      const several = { KUBECONFIG: `${path('config')}${delimiter}${path('other')}` };
      assert.throws(() => getConfig({ env: several, directory }), /KUBECONFIG names several files/);
      assert.throws(() => getConfig({ env: { KUBECONFIG: path('none') }, directory }), /none does not exist$/);
    });
  });

  describe('in a token file', () => {
    it('are read again after a minute, and kept while the file cannot be read', () => {
      let now = 0;
      writeFileSync(path('token'), 'first\n');
      const tokens = new TokenFile(path('token'), () => now);
      writeFileSync(path('token'), 'second');
      now = 59_000;
      assert.equal(tokens.current(), 'first');
      now = 60_000;
      assert.equal(tokens.current(), 'second');
      rmSync(path('token'));
      now = 120_000;
      assert.equal(tokens.current(), 'second');
      writeFileSync(path('token'), 'third');
      now = 121_000;
      assert.equal(tokens.current(), 'third');
    });

    it('are read again soon after the server refused them, but not with every refusal', () => {
      let now = 0;
      writeFileSync(path('token'), 'first');
      const tokens = new TokenFile(path('token'), () => now);
      writeFileSync(path('token'), 'second');
      tokens.expire();
      now = 500;
      assert.equal(tokens.current(), 'first');
      now = 1_000;
      assert.equal(tokens.current(), 'second');
    });

    it('must exist', () => {
      assert.throws(() => new TokenFile(path('missing')), /ENOENT/);
      writeFileSync(path('empty'), '\n');
      assert.throws(() => new TokenFile(path('empty')), /read empty token from file/);
    });
  });

  describe('in a kubeconfig', () => {
    const kubeconfig = (user: string, server = 'https://core') => {
      const text = `{clusters: [{name: c, cluster: {server: '${server}'}}], users: [{name: u, user: ${user}}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}`;
      writeFileSync(path('kubeconfig'), text);
      return loadKubeconfig(path('kubeconfig'));
    };

    it('may be a token file, relative to the kubeconfig', () => {
      assert.deepEqual(kubeconfig('{tokenFile: token}'), { url: 'https://core', tokenFile: path('token') });
    });

    it('may not come from an auth-provider', () => {
      assert.throws(
        () => kubeconfig('{auth-provider: {name: oidc}}'),
        /the user of the current context has auth-provider, which is not supported$/,
      );
    });
  });

  describe('of requests', () => {
    let server: Server;
    let seen: { url: string | undefined; authorization: string | undefined }[];
    beforeEach((done) => {
      seen = [];
      server = createServer((request, response) => {
        seen.push({ url: request.url, authorization: request.headers.authorization });
        response.end('{}');
      });
      server.listen(0, '127.0.0.1', done);
    });
    afterEach(() => server.close());

    it('are the token of the file, below the path of the server', async () => {
      writeFileSync(path('token'), 'secret');
      const { port } = server.address() as AddressInfo;
      const transport = httpTransport({ url: `http://127.0.0.1:${port}/clusters/a/`, tokenFile: path('token') });
      const { body } = await transport.send({ method: 'GET', path: '/api?limit=1' });
      await body.dump();
      await transport.close();
      assert.deepEqual(seen, [{ url: '/clusters/a/api?limit=1', authorization: 'Bearer secret' }]);
    });
  });
});
