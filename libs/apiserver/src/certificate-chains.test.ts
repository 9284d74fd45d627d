import assert from 'node:assert/strict';
import { ClientCertificateAuthenticator, defaultRequestHeaders, RequestHeaderAuthenticator } from '@apichain/authn';
import { ChainTable, type ClientChain } from '@apichain/x509/chains.fixture';
import { forms, present, type Form } from '@apichain/x509/present.fixture';
import { installEcho, TestServers } from './server.fixture.ts';

describe('certificates of clients and front proxies', () => {
  const servers = new TestServers();
  const clients = new ChainTable('client', 'jane');
  const frontProxies = new ChainTable('front-proxy', 'proxy');

  const start = () =>
    servers.start(
      {
        authenticator: new ClientCertificateAuthenticator(clients.trusted),
        requestHeader: new RequestHeaderAuthenticator({
          ...defaultRequestHeaders,
          clientCAs: frontProxies.trusted,
          allowedNames: ['proxy'],
        }),
      },
      installEcho,
    );

  /** The user of a request; `refused` for 401. */
  async function userOf(url: string, chain: ClientChain, form: Form, headers = {}): Promise<string> {
    const { status, body } = await present(url, chain, { form, method: 'GET', path: '/whoami', headers });
    if (status === 401) return 'refused';
    assert.equal(status, 200, `${chain.row.name}: ${body}`);
    return (JSON.parse(body) as { user: { name: string } }).user.name;
  }

  for (const form of forms)
    it(`are believed if their chains are valid, over ${form}`, async () => {
      const { url } = await start();
      const proxied = { 'x-remote-user': 'john', 'x-remote-group': 'system:masters' };
      for (const chain of clients.chains)
        assert.equal(await userOf(url, chain, form), chain.row.isAccepted ? 'jane' : 'refused', chain.row.name);
      for (const chain of frontProxies.chains)
        assert.equal(
          await userOf(url, chain, form, proxied),
          chain.row.isAccepted ? 'john' : 'refused',
          chain.row.name,
        );
    });
});
