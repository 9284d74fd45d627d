import assert from 'node:assert/strict';
import { request } from 'node:https';
import type { AgentOptions } from 'node:https';
import { httpTransport } from '@apichain/client';
import { ChainTable, type ClientChain } from '@apichain/x509/chains.fixture';
import { serverCases, serverName } from '@apichain/x509/server-chains.fixture';
import { serveWith } from '@apichain/x509/tls-server.fixture';
import { secureAgent } from './target-agent.ts';

describe('servers that clients connect to', () => {
  const table = new ChainTable('server', serverName, serverCases);
  const limits = { maxSockets: 1, maxFreeSockets: 0 };

  /** Each sends one request to the server, and rejects when it does not trust it. */
  const clients: Readonly<Record<string, (port: number) => Promise<void>>> = {
    async 'the client of API servers, webhooks and issuers'(port) {
      const transport = httpTransport({ url: `https://127.0.0.1:${port}`, ca: table.bundle, serverName });
      try {
        const { body } = await transport.send({ method: 'GET', path: '/' });
        await body.dump();
      } finally {
        await transport.close();
      }
    },
    'the proxy to extension servers': (port) => getOver({ ca: table.bundle, servername: serverName }, port),
  };

  function getOver(tls: AgentOptions, port: number): Promise<void> {
    const agent = secureAgent(tls, limits);
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, agent }, (response) => response.resume().once('end', resolve));
      asked.once('error', reject);
      asked.end();
    });
  }

  const named = (name: string): ClientChain => {
    const chain = table.chains.find(({ row }) => row.name === name);
    assert.ok(chain, name);
    return chain;
  };

  for (const [client, ask] of Object.entries(clients)) {
    it(`are accepted by ${client} below a trusted intermediate`, async () => {
      for (const name of [
        'two intermediates',
        'a trusted intermediate of an unknown root',
        'trusted itself, of an unknown issuer',
      ]) {
        const { port, close } = await serveWith(named(name));
        try {
          await ask(port);
        } finally {
          close();
        }
      }
    });

    it(`are refused by ${client} with a broken chain, and with a common name only`, async () => {
      for (const name of [
        'a common name without alternative names',
        'an expired intermediate',
        'an intermediate only for clients',
        'a path length of 0 above another intermediate',
        'a broken constraint of directory names',
        'an unknown critical extension',
        'SHA-1',
      ]) {
        const { port, close } = await serveWith(named(name));
        try {
          await assert.rejects(ask(port), name);
        } finally {
          close();
        }
      }
    });
  }
});
