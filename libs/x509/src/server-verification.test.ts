import assert from 'node:assert/strict';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { ChainTable, type ClientChain } from './chains/chains.fixture.ts';
import { serverCases, serverName } from './chains/server-cases.fixture.ts';
import { serveWith } from './chains/tls-server.fixture.ts';
import { serverVerification } from './server-verification.ts';

describe('serverVerification', () => {
  const table = new ChainTable('server', serverName, serverCases);

  /** The error of a client that connects to a server with the chain; undefined when it accepts the server. */
  async function problemOf(chain: ClientChain, host: string): Promise<Error | undefined> {
    const { port, close } = await serveWith(chain);
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host: '127.0.0.1', port, ca: table.bundle, ...serverVerification, ...name });
    try {
      await once(socket, 'secureConnect');
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      socket.destroy();
      close();
    }
  }

  for (const [at, { name, isAccepted, differs = false, host = serverName }] of serverCases.entries()) {
    const expected = isAccepted !== differs;
    it(`${expected ? 'accepts' : 'refuses'}${differs ? ', unlike Go' : ''}: ${name}`, async () => {
      const chain = table.chains[at];
      assert.ok(chain);
      const problem = await problemOf(chain, host);
      assert.equal(problem === undefined, expected, problem?.message);
    });
  }
});
