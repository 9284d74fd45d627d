import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import {
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  mkdirSync,
  unlinkSync,
} from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ConnectionOptions } from 'node:tls';
import { pino } from 'pino';
import { createCA, issueClient, issueServing, type CertificatePair } from '@apichain/serving';
import { serviceFlags } from '@apichain/apiserver-options';
import { FlagError } from '@apichain/apiserver-options';
import { parseFlags } from '@apichain/apiserver-options';
import { serverConfig } from './options/server-options.ts';
import { GenericApiServer } from './server.ts';
import { FollowedFiles } from '@apichain/serving';
import { eventually } from '@apichain/meta/until.fixture';

const silent = pino({ level: 'silent' });

describe('certificates on disk', () => {
  let directory: string;
  let ca: CertificatePair;
  let server: GenericApiServer | undefined;

  before(async () => {
    ca = await createCA('first-ca');
  });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-certificates-'));
  });
  afterEach(async () => {
    await server?.shutdown();
    server = undefined;
    rmSync(directory, { recursive: true });
  });

  const file = (name: string) => join(directory, name);
  function put(name: string, pair: CertificatePair): void {
    writeFileSync(file(`${name}.crt`), pair.certificate);
    writeFileSync(file(`${name}.key`), pair.key);
  }

  async function start(...more: string[]): Promise<number> {
    const flags = parseFlags(serviceFlags(), [
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      `--tls-cert-file=${file('serving.crt')}`,
      `--tls-private-key-file=${file('serving.key')}`,
      '--authorization-mode=AlwaysAllow',
      ...more,
    ]);
    const config = await serverConfig(flags, {
      name: 'test',
      stores: () => undefined,
      reachesAccounts: false,
      logger: silent,
      installer: () => {
        throw new Error('no groups in this test');
      },
    });
    server = new GenericApiServer(config);
    return (await server.listen()).port;
  }

  /** The common name of the certificate that the server presents for the server name. */
  function served(port: number, servername: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
      socket.on('error', reject);
    });
  }

  const get = (port: number, client: CertificatePair, agent: https.Agent | false = false): Promise<number> =>
    new Promise((resolve, reject) => {
      const request = https.get(
        {
          host: '127.0.0.1',
          port,
          path: '/version',
          agent,
          cert: client.certificate,
          key: client.key,
          rejectUnauthorized: false,
        },
        (response) => {
          response.resume();
          response.once('end', () => resolve(response.statusCode ?? 0));
        },
      );
      request.on('error', reject);
    });

  it('replaces the serving certificate for new connections, after its key has changed too', async () => {
    put('serving', await issueServing(ca, 'old', ['127.0.0.1']));
    const port = await start();
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
    let connections = 0;
    const open = agent.createConnection.bind(agent);
    agent.createConnection = (...options) => {
      connections++;
      return open(...options);
    };
    const client = await issueClient(ca, 'somebody');
    assert.equal(await served(port, 'localhost'), 'old');
    await get(port, client, agent);

    const next = await issueServing(ca, 'new', ['127.0.0.1']);
    writeFileSync(file('serving.crt'), next.certificate);
    server?.config.files?.check(silent);
    assert.equal(await served(port, 'localhost'), 'old');
    writeFileSync(file('serving.key'), next.key);
    await eventually(async () => assert.equal(await served(port, 'localhost'), 'new'));

    await get(port, client, agent);
    assert.equal(connections, 1);
    agent.destroy();
  });

  it('serves each host name its certificate, and reloads the files', async () => {
    put('serving', await issueServing(ca, 'default', ['127.0.0.1']));
    put('named', await issueServing(ca, 'named', ['ignored.example.com']));
    put('own', await issueServing(ca, 'own.example.com', ['also.example.com', '*.wild.example.com']));
    const port = await start(
      `--tls-sni-cert-key=${file('own.crt')},${file('own.key')}`,
      `--tls-sni-cert-key=${file('named.crt')},${file('named.key')}:given.example.com, also.example.com`,
    );
    for (const [name, expected] of [
      ['own.example.com', 'own.example.com'],
      ['a.wild.example.com', 'own.example.com'],
      ['a.b.wild.example.com', 'default'],
      ['given.example.com', 'named'],
      ['GIVEN.example.com', 'named'],
      ['also.example.com', 'named'],
      ['ignored.example.com', 'default'],
      ['', 'default'],
    ] as const) {
      assert.equal(await served(port, name), expected, name);
    }
    put('named', await issueServing(ca, 'renewed', []));
    await eventually(async () => assert.equal(await served(port, 'given.example.com'), 'renewed'));
    assert.equal(await served(port, 'own.example.com'), 'own.example.com');
  });

  it('negotiates the allowed versions and cipher suites, for every certificate and after each change', async () => {
    put('serving', await issueServing(ca, 'old', ['127.0.0.1']));
    put('other', await issueServing(ca, 'other', ['other.example.com']));
    const sni = `--tls-sni-cert-key=${file('other.crt')},${file('other.key')}`;
    const agreed = (port: number, options: ConnectionOptions) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
          resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
          socket.destroy();
        });
        socket.on('error', reject);
      });
    const chosen = 'ECDHE-ECDSA-AES256-GCM-SHA384';
    let port = await start(sni, '--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384');
    for (const servername of ['', 'other.example.com']) {
      assert.match(await agreed(port, { servername }), /^TLSv1.3 /);
      assert.equal(await agreed(port, { servername, maxVersion: 'TLSv1.2' }), `TLSv1.2 ${chosen}`);
    }
    await server?.shutdown();
    port = await start(sni, '--tls-min-version=VersionTLS13');
    const refusesOlder = async () => {
      for (const servername of ['', 'other.example.com'])
        await assert.rejects(agreed(port, { servername, maxVersion: 'TLSv1.2' }), /alert protocol version/);
    };
    await refusesOlder();
    put('serving', await issueServing(ca, 'new', ['127.0.0.1']));
    await eventually(async () => assert.equal(await served(port, ''), 'new'));
    await refusesOlder();
    await assert.rejects(start('--tls-min-version=1.3'), { message: 'unknown tls version "1.3"' });
    await assert.rejects(start('--tls-cipher-suites=AES'), {
      message: "Cipher suite AES not supported or doesn't exist",
    });
  });

  it('refuses --tls-sni-cert-key without a pair of files', async () => {
    put('serving', ca);
    for (const value of ['only.crt', 'a.crt,a.key:', 'a.crt,a.key,b.key', 'absent.crt,absent.key']) {
      await assert.rejects(start(`--tls-sni-cert-key=${value}`), FlagError);
    }
  });

  it('reloads the client certificate authorities', async () => {
    const other = await createCA('other-ca');
    const [before, after] = [await issueClient(ca, 'a'), await issueClient(other, 'b')];
    put('serving', await issueServing(ca, 'serving', ['127.0.0.1']));
    writeFileSync(file('clients.crt'), ca.certificate);
    const port = await start(`--client-ca-file=${file('clients.crt')}`);
    assert.equal(await get(port, before), 200);
    assert.equal(await get(port, after), 401);
    writeFileSync(file('clients.crt'), 'nonsense');
    server?.config.files?.check(silent);
    assert.equal(await get(port, before), 200);
    writeFileSync(file('clients.crt'), other.certificate);
    await eventually(async () => assert.equal(await get(port, after), 200));
    assert.equal(await get(port, before), 401);
  });

  it('are reloaded through links, as in volumes of pods', async () => {
    mkdirSync(file('1'));
    mkdirSync(file('2'));
    writeFileSync(file('1/tls.crt'), ca.certificate);
    const next = await createCA('second-ca');
    writeFileSync(file('2/tls.crt'), next.certificate);
    symlinkSync('1', file('..data'));
    symlinkSync('..data/tls.crt', file('tls.crt'));
    const files = new FollowedFiles();
    const nameOf = ([text = '']: readonly string[]) => new X509Certificate(text).subject;
    let subject = files.follow([file('tls.crt')], nameOf, (changed) => (subject = changed));
    assert.equal(subject, 'CN=first-ca');
    const stop = new AbortController();
    files.run(stop.signal, silent);
    symlinkSync('2', file('..tmp'));
    renameSync(file('..tmp'), file('..data'));
    await eventually(() => assert.equal(subject, 'CN=second-ca'));
    unlinkSync(file('tls.crt'));
    files.check(silent);
    assert.equal(subject, 'CN=second-ca');
    stop.abort();
    assert.equal(readFileSync(file('2/tls.crt'), 'utf8'), next.certificate);
  });
});
