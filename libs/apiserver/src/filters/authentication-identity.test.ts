import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alwaysAllow } from '@apichain/authz';
import {
  chainIdentityHeader,
  defaultRequestHeaders,
  encodeIdentity,
  parseCertificateBundle,
  RequestHeaderAuthenticator,
  type ChainProxies,
} from '@apichain/authn';
import { relayHeader } from '@apichain/audit';
import { issueClient } from '@apichain/serving';
import { call, installEcho, TestServers, type CallOptions, type TestServer } from '../server.fixture.ts';
import { HttpDelegationTarget } from '@apichain/delegation';

const servers = new TestServers();

const root = { name: 'root', uid: '', groups: ['system:masters'], extra: {} };
/** All headers with which a client could claim to be an administrator. */
const forged = {
  'X-Remote-User': 'root',
  'X-Remote-Group': 'system:masters',
  'X-Who': 'root',
  'X-Who-Group': 'system:masters',
  [chainIdentityHeader]: encodeIdentity(root),
  [relayHeader]: 'Request',
};

/** A server behind another server. It serves `/whoami` to administrators and to users that the first server has authorized. */
function startNext(chainProxies: ChainProxies, linkSocket?: string): Promise<TestServer> {
  const requestHeader = new RequestHeaderAuthenticator({
    clientCAs: parseCertificateBundle(servers.certificates.frontProxyCA.certificate),
    allowedNames: ['front-proxy'],
    ...defaultRequestHeaders,
    usernameHeaders: ['X-Who'],
    groupHeaders: ['X-Who-Group'],
    chainProxies,
  });
  return servers.start(
    { requestHeader, chainProxies, ...(linkSocket === undefined ? {} : { linkSocket }) },
    installEcho,
  );
}

const socketPath = () => join(mkdtempSync(join(tmpdir(), 'apichain-')), 'next.sock');

describe('the identity that a server accepts', () => {
  for (const proxies of ['all', 'socket', 'none'] as const)
    it(`is not read from headers over TLS without the certificate of a front proxy (${proxies})`, async () => {
      const next = await startNext(proxies, proxies === 'socket' ? socketPath() : undefined);
      const { bob, ca, frontProxyCA } = servers.certificates;
      const strangers: Record<string, CallOptions['as']> = {
        nobody: undefined,
        'a user': bob,
        'a user with the name of a front proxy': await issueClient(ca, 'front-proxy'),
        'another name of the front proxies': await issueClient(frontProxyCA, 'someone-else'),
      };
      for (const [who, as] of Object.entries(strangers)) {
        const response = await call(next, '/whoami', { headers: forged, ...(as === undefined ? {} : { as }) });
        assert.ok([401, 403].includes(response.status), `${who}: ${response.text}`);
        assert.equal(response.headers[relayHeader.toLowerCase()], undefined, who);
        assert.doesNotMatch(response.text, /root/, who);
      }
      const { json } = await call(next, '/whoami', { as: servers.certificates.admin, headers: forged });
      assert.equal((json['user'] as { name: string }).name, 'admin');
    });

  it('is the user that another front proxy names, without authorization, when the previous server uses a socket', async () => {
    const path = socketPath();
    const next = await startNext('socket', path);
    const as = servers.certificates.frontProxy;
    const named = await call(next, '/whoami', { as, headers: { 'X-Who': 'eve', [relayHeader]: 'Request' } });
    assert.equal(named.status, 403);
    assert.match(named.text, /User \\"eve\\" cannot get path/);
    assert.equal(named.headers[relayHeader.toLowerCase()], undefined);
    // A header that a client has added, and that the front proxy does not know and so passes on.
    const { 'X-Remote-User': user, [chainIdentityHeader]: identity = '' } = forged;
    const added = { 'X-Remote-User': user, 'X-Remote-Group': 'system:masters', [chainIdentityHeader]: identity };
    assert.equal((await call(next, '/whoami', { as, headers: added })).status, 401);
    const both = await call(next, '/whoami', { as, headers: { ...added, 'X-Who': 'eve' } });
    assert.match(both.text, /User \\"eve\\" cannot get path/);

    const link = new HttpDelegationTarget({ url: `unix://${path}` });
    const first = await servers.start({
      authorizer: alwaysAllow,
      chainProxies: 'none',
      delegate: link,
    });
    const through = await call(first, '/whoami', { as: servers.certificates.bob, headers: forged });
    assert.equal((through.json['user'] as { name: string }).name, 'bob');
  });

  it('is the user that the previous server names, without headers that a client added', async () => {
    const next = await startNext('all');
    const as = servers.certificates.frontProxy;
    const { [chainIdentityHeader]: identity = '' } = forged;
    const headers = { 'X-Remote-User': 'eve', [chainIdentityHeader]: identity };
    const { json } = await call(next, '/whoami', { as, headers });
    const { name, groups } = json['user'] as { name: string; groups: string[] };
    assert.deepEqual({ name, groups }, { name: 'eve', groups: ['system:authenticated'] });
  });
});
