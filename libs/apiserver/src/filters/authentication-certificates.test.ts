import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import {
  AnonymousAuthenticator,
  ClientCertificateAuthenticator,
  defaultRequestHeaders,
  RequestHeaderAuthenticator,
  UnionAuthenticator,
} from '@apichain/authn';
import { attribute, nameOf } from '@apichain/x509/certificate.fixture';
import { ChainTable, pemOf, type ClientChain } from '@apichain/x509/chains.fixture';
import { forms, present, type Form } from '@apichain/x509/present.fixture';
import { installEcho, TestServers } from '../server.fixture.ts';

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

  const proxiesOf = (clientCAs: ChainTable['trusted']) =>
    new RequestHeaderAuthenticator({ ...defaultRequestHeaders, clientCAs, allowedNames: [] });

  const named = (name: string): ClientChain => {
    const chain = clients.chains.find(({ row }) => row.name === name);
    assert.ok(chain, name);
    return chain;
  };

  async function open(port: number, { presented, key }: ClientChain, more: ConnectionOptions): Promise<TLSSocket> {
    const identity = { cert: pemOf(presented), key: key.export({ type: 'pkcs8', format: 'pem' }) };
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...identity, ...more });
    await once(socket, 'secureConnect');
    return socket;
  }

  /** The status and user of a request on an open connection, which stays open. */
  async function userOn(socket: TLSSocket): Promise<string> {
    const asked = request({ path: '/whoami', createConnection: () => socket, headers: { connection: 'keep-alive' } });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const body = JSON.parse(await text(response)) as { user?: { name: string } };
    return `${response.statusCode} ${body.user?.name ?? ''}`;
  }

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
    it(`keep the identity of a client that offers its ${version} session again`, async () => {
      const { port } = await start();
      const chain = named('three intermediates');
      const versions = { minVersion: version, maxVersion: version };
      const first = await open(port, chain, versions);
      const sessions: Buffer[] = [];
      first.on('session', (offered: Buffer) => sessions.push(offered));
      assert.equal(await userOn(first), '200 jane');
      const session = sessions.at(-1) ?? first.getSession();
      assert.ok(session);
      first.destroy();
      const second = await open(port, chain, { ...versions, session });
      assert.equal(second.isSessionReused(), false);
      assert.equal(await userOn(second), '200 jane');
      second.destroy();
      const stranger = await open(port, named('only for servers'), { ...versions, session });
      assert.equal(await userOn(stranger), '401 ');
      stranger.destroy();
    });

  it('do not make a client without a name anonymous where front proxies have certificates', async () => {
    const subject = nameOf(attribute('O', 'system:masters'));
    const rows = [{ name: 'no common name', isAccepted: true, certificates: { leaf: { subject } } }];
    const table = new ChainTable('unnamed', '', rows);
    const [chain] = table.chains;
    assert.ok(chain);
    const clientCertificates = new ClientCertificateAuthenticator(table.trusted);
    const authenticator = new UnionAuthenticator([clientCertificates], new AnonymousAuthenticator());
    const statusOf = async (requestHeader: RequestHeaderAuthenticator) => {
      const { url } = await servers.start({ authenticator, requestHeader }, installEcho);
      return (await present(url, chain, { form: 'TLSv1.3 h2', method: 'GET', path: '/whoami' })).status;
    };
    assert.equal(await statusOf(proxiesOf(frontProxies.trusted)), 401);
    // Forbidden to the anonymous user.
    assert.equal(await statusOf(proxiesOf([])), 403);
  });

  it('are verified again on open connections when the authorities change', async () => {
    const authenticator = new ClientCertificateAuthenticator([]);
    const { port } = await servers.start(
      {
        authenticator: new UnionAuthenticator([authenticator], new AnonymousAuthenticator()),
        requestHeader: proxiesOf([]),
      },
      installEcho,
    );
    const socket = await open(port, named('three intermediates'), {});
    assert.equal(await userOn(socket), '403 ');
    authenticator.trust(clients.trusted);
    assert.equal(await userOn(socket), '200 jane');
    authenticator.trust(frontProxies.trusted);
    assert.equal(await userOn(socket), '401 ');
    socket.destroy();
  });
});
