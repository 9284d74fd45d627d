import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { ChainTable, pemOf } from '@apichain/x509/chains.fixture';
import { serverCases, serverName } from '@apichain/x509/server-chains.fixture';
import { connectEtcd } from './etcd-client.ts';
import { startTestEtcd, type TestEtcd } from './etcd.fixture.ts';

describe('an etcd with TLS', () => {
  let etcd: TestEtcd;
  const table = new ChainTable('server', serverName, serverCases);

  before(async () => {
    etcd = await startTestEtcd();
  });
  after(() => etcd.close());

  /** The error of a client that connects to etcd behind a server with a chain; undefined when it gets a response. */
  async function problemWith(name: string): Promise<unknown> {
    const chain = table.chains.find(({ row }) => row.name === name);
    assert.ok(chain, name);
    const server = createServer(
      {
        ...{ cert: pemOf(chain.presented), key: chain.key.export({ type: 'pkcs8', format: 'pem' }) },
        ...{ ALPNProtocols: ['h2'], ciphers: 'DEFAULT@SECLEVEL=0' },
      },
      (socket) => {
        const member = connect(Number(new URL(etcd.url).port), '127.0.0.1');
        socket.on('error', () => member.destroy());
        member.on('error', () => socket.destroy());
        socket.pipe(member).pipe(socket);
      },
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const connection = connectEtcd({
      servers: [`https://127.0.0.1:${port}`],
      credentials: () => ({ ca: table.bundle }),
      prefix: '/registry',
    });
    try {
      await connection.status();
      return undefined;
    } catch (error) {
      return error;
    } finally {
      await connection.close();
      server.close();
    }
  }

  it('is used when its chain is valid', async () => {
    assert.equal(await problemWith('an address'), undefined);
  });

  it('is not used when its chain is broken, or is for another name', async () => {
    for (const name of ['issued by the authority', 'an address without an alternative name for it'])
      assert.match(String(await problemWith(name)), /certificate's altnames/, name);
    const problems = {
      'self-signed': /self-signed certificate/,
      'an expired intermediate': /certificate has expired/,
      'an intermediate only for clients': /unsuitable certificate purpose/,
      'a path length of 0 above another intermediate': /path length constraint exceeded/,
      'an unknown critical extension': /unhandled critical extension/,
      'a DNS name that is not permitted': /permitted subtree violation/,
      'SHA-1': /signature digest algorithm too weak/,
    };
    for (const [name, problem] of Object.entries(problems))
      assert.match(String(await problemWith(name)), problem, name);
  });
});
