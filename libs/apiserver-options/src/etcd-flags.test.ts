import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { connectEtcd } from '@apichain/etcd-client';
import { createCA, issueClient, issueServing, type CertificatePair } from '@apichain/serving';
import { etcdCredentials } from './etcd-flags.ts';
import { parseFlags } from './parse-flags.ts';
import { serviceFlags } from './all-flags.ts';

describe('credentials for etcd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'apichain-test-'));
  after(() => rmSync(folder, { recursive: true }));

  it('are a certificate with its key', () => {
    assert.throws(() => etcdCredentials(parseFlags(serviceFlags(), ['--etcd-certfile=/a.crt'])), {
      name: 'FlagError',
      message: 'KeyFile and CertFile must both be present[key: , cert: /a.crt]',
    });
  });

  it('are read from the files for each connection', async () => {
    const ca = await createCA('etcd-ca');
    const serving = await issueServing(ca, 'etcd', ['127.0.0.1']);
    const file = (name: string) => join(folder, name);
    const put = ({ certificate, key }: CertificatePair) => {
      writeFileSync(file('client.crt'), certificate);
      writeFileSync(file('client.key'), key);
    };
    writeFileSync(file('ca.crt'), ca.certificate);
    put(await issueClient(ca, 'first'));

    const seen: string[] = [];
    const sessions: ServerHttp2Session[] = [];
    const server = createSecureServer({
      cert: serving.certificate,
      key: serving.key,
      ca: ca.certificate,
      requestCert: true,
    });
    server.on('session', (session) => {
      sessions.push(session);
      seen.push(String((session.socket as TLSSocket).getPeerCertificate().subject.CN));
    });
    server.on('stream', (stream) => stream.respond({ ':status': 200, 'grpc-status': '13' }, { endStream: true }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');

    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const argv = [`--etcd-cafile=${file('ca.crt')}`, `--etcd-certfile=${file('client.crt')}`];
    const flags = parseFlags(serviceFlags(), [...argv, `--etcd-keyfile=${file('client.key')}`]);
    const connection = connectEtcd({ servers: [url], prefix: '/registry', ...etcdCredentials(flags) });
    const askAnew = async () => {
      for (const session of sessions.splice(0)) session.destroy();
      await new Promise((resolve) => setTimeout(resolve, 20));
      await assert.rejects(connection.checkHealth(2_000));
    };
    try {
      await askAnew();
      writeFileSync(file('client.crt'), 'half a certificate');
      await askAnew();
      put(await issueClient(ca, 'second'));
      await askAnew();
      assert.deepEqual(seen, ['first', 'first', 'second']);
    } finally {
      await connection.close();
      server.close();
    }
  });

  it('are none without flags', () => {
    assert.deepEqual(etcdCredentials(parseFlags(serviceFlags(), [])), {});
  });
});
