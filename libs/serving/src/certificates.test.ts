import assert from 'node:assert/strict';
import { X509Certificate, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { createCA, issueClient, issueServing, type CertificatePair } from './certificates.ts';
import { distinguishedName, signCertificate } from './certificates/certificate.ts';

const parsed = ({ certificate }: CertificatePair) => new X509Certificate(certificate);

/** Makes a mutual TLS handshake. Resolves to what the server learnt about the client. */
async function handshake(ca: CertificatePair, serving: CertificatePair, client: CertificatePair, host: string) {
  const server = createServer({ ca: ca.certificate, cert: serving.certificate, key: serving.key, requestCert: true });
  const accepted = once(server, 'secureConnection') as Promise<[TLSSocket]>;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert(address !== null && typeof address === 'object');
  const socket = connect({
    ...{ host: '127.0.0.1', port: address.port, servername: host },
    ...{ ca: ca.certificate, cert: client.certificate, key: client.key },
  });
  try {
    await once(socket, 'secureConnect');
    const [peer] = await accepted;
    return { authorized: peer.authorized, subject: peer.getPeerCertificate().subject };
  } finally {
    socket.destroy();
    server.close();
  }
}

describe('certificates', () => {
  it('authenticate a server and a client of one authority', async () => {
    const ca = await createCA('test-ca');
    const serving = await issueServing(ca, 'server', ['example.test', '127.0.0.1']);
    const client = await issueClient(ca, 'jane', ['system:masters', 'développeurs']);
    const { authorized, subject } = await handshake(ca, serving, client, 'example.test');
    assert.equal(authorized, true);
    assert.equal(subject.CN, 'jane');
    assert.deepEqual(subject.O, ['system:masters', 'développeurs']);
    await assert.rejects(handshake(ca, serving, client, 'other.test'), /does not match certificate's altnames/);
  });

  it('name hosts and addresses of both families', async () => {
    const certificate = parsed(
      await issueServing(await createCA('ca'), 's', ['a.test', '10.0.0.1', '::1', 'fd00::12:0:1', '::ffff:1.2.3.4']),
    );
    assert.equal(certificate.checkHost('a.test'), 'a.test');
    for (const address of ['10.0.0.1', '::1', 'fd00::12:0:1', '::ffff:102:304'])
      assert.equal(certificate.checkIP(address), address);
    assert.equal(certificate.checkIP('10.0.0.2'), undefined);
  });

  it('are valid from shortly before now, authorities for ten years and others for one', async () => {
    const ca = await createCA('ca');
    const years = (pair: CertificatePair) =>
      Math.round((parsed(pair).validToDate.getTime() - Date.now()) / (365 * 24 * 3_600_000));
    assert.equal(years(ca), 10);
    assert.equal(years(await issueClient(ca, 'jane')), 1);
    assert(parsed(ca).validFromDate.getTime() < Date.now());
    assert.equal(parsed(ca).ca, true);
  });

  it('can be issued by an authority with an RSA key, and may outlive 2050', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const name = distinguishedName([
      ['O', 'x'.repeat(200)],
      ['CN', 'rsa-ca'],
    ]);
    const validity = { notBefore: new Date(0), notAfter: new Date('2051-02-03T04:05:06Z') };
    const names = { serialNumber: Buffer.from([1]), issuer: name, subject: name };
    const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const certificate = await signCertificate({ ...names, ...validity, publicKey, extensions: [] }, key);
    assert.equal(certificate.validTo, 'Feb  3 04:05:06 2051 GMT');
    const ca = { certificate: certificate.toString(), key };
    const issued = parsed(await issueClient(ca, 'jane'));
    assert(issued.checkIssued(certificate));
    assert(issued.verify(publicKey));
  });
});
