import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { alwaysAllow } from '@apichain/authz';
import {
  AnonymousAuthenticator,
  BearerTokenAuthenticator,
  OidcProvider,
  OidcTokenAuthenticator,
  UnionAuthenticator,
} from '@apichain/authn';
import { call, installEcho, TestServers } from '../server.fixture.ts';

const issuer = 'https://issuer.example.com';
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function idToken(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const text = `${encode({ alg: 'ES256', kid: 'a' })}.${encode({ iss: issuer, sub: 'jane', aud: 'client', exp: 4e9 })}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

describe('a token whose issuer does not publish its keys in time', () => {
  // The limit is 5 seconds.
  const servers = new TestServers();
  let silent: http.Server;
  let asked: Promise<unknown>;
  before(async () => {
    silent = http.createServer();
    asked = once(silent, 'request');
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });
  after(() => {
    silent.closeAllConnections();
    silent.close();
  });

  it('is refused, without delay for other requests', async () => {
    const address = silent.address();
    const keys = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/keys`;
    const provider = new OidcProvider({
      issuer,
      fetch: async (url, signal) => {
        if (url !== keys) return { issuer, jwks_uri: keys };
        const response = await fetch(url, signal === undefined ? {} : { signal });
        return response.json();
      },
    });
    await provider.discover(new AbortController().signal, (error) => assert.ifError(error));
    const none = { claim: '', expression: '' };
    const tokens = new OidcTokenAuthenticator({
      configuration: {
        issuer: {
          url: issuer,
          audiences: ['client'],
          audienceMatchPolicy: '',
          certificateAuthority: '',
          egressSelectorType: '',
        },
        claimMappings: {
          username: { claim: 'sub', prefix: '', expression: '' },
          groups: none,
          uid: none,
          extra: [],
        },
        claimValidationRules: [],
        userValidationRules: [],
      },
      algorithms: ['ES256'],
      provider,
      apiAudiences: ['api'],
    });
    const target = await servers.start(
      {
        authenticator: new UnionAuthenticator([new BearerTokenAuthenticator(tokens)], new AnonymousAuthenticator()),
        authorizer: alwaysAllow,
      },
      installEcho,
    );
    let isAnswered = false;
    const waiting = call(target, '/whoami', { headers: { authorization: `Bearer ${idToken()}` } });
    void waiting.finally(() => (isAnswered = true));
    await asked;
    for (let i = 0; i < 20; i++) assert.equal((await call(target, '/whoami')).status, 200);
    assert.equal(isAnswered, false);
    const { status, json } = await waiting;
    assert.deepEqual([status, json['reason']], [401, 'Unauthorized']);
  });
});
