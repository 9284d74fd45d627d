import assert from 'node:assert/strict';
import { X509Certificate, generateKeyPairSync, webcrypto } from 'node:crypto';
import { createCA, requestClient } from '../certificates.ts';
import { x509Library } from './certificate.ts';
import { readCertificateRequest, signCertificateRequest } from './sign-request.ts';

const policy = {
  notBefore: new Date('2026-01-01T00:00:00Z'),
  notAfter: new Date('2027-01-01T00:00:00Z'),
  keyUsage: 5,
  extendedKeyUsages: ['1.3.6.1.5.5.7.3.2'],
};

/** A request with alternative names, and with extensions that a signer must not copy. */
async function serverRequest(algorithm: 'rsa' | 'ec'): Promise<string> {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension, BasicConstraintsExtension } =
    await x509Library();
  const { publicKey, privateKey } =
    algorithm === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const parameters =
    algorithm === 'rsa' ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } : { name: 'ECDSA', namedCurve: 'P-256' };
  const keys = {
    publicKey: publicKey.toCryptoKey(parameters, true, ['verify']),
    privateKey: privateKey.toCryptoKey(parameters, false, ['sign']),
  };
  const request = await Pkcs10CertificateRequestGenerator.create(
    {
      name: 'CN=system:node:a, OU=unit, O=b',
      keys,
      signingAlgorithm: { ...parameters, hash: 'SHA-256' },
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new SubjectAlternativeNameExtension([
          { type: 'url', value: 'spiffe://a/b' },
          { type: 'ip', value: '10.0.0.1' },
          { type: 'dns', value: 'a.test' },
          { type: 'email', value: 'a@b.test' },
        ]),
      ],
    },
    webcrypto,
  );
  return request.toString('pem');
}

describe('signing requests for certificates', () => {
  for (const algorithm of ['rsa', 'ec'] as const)
    it(`copies subject, names and key of a request (${algorithm})`, async () => {
      const ca = await createCA('ca');
      const pem = await serverRequest(algorithm);
      assert.deepEqual(await readCertificateRequest(pem), {
        commonName: 'system:node:a',
        organizations: ['b'],
        dnsNames: ['a.test'],
        emailAddresses: ['a@b.test'],
        ipAddresses: ['10.0.0.1'],
        uris: ['spiffe://a/b'],
      });
      const certificate = new X509Certificate(await signCertificateRequest(ca, pem, policy));
      const authority = new X509Certificate(ca.certificate);
      assert.equal(certificate.verify(authority.publicKey) && certificate.checkIssued(authority), true);
      assert.equal(certificate.subject, 'O=b\nOU=unit\nCN=system:node:a');
      assert.equal(certificate.subjectAltName, 'DNS:a.test, email:a@b.test, IP Address:10.0.0.1, URI:spiffe://a/b');
      assert.equal(certificate.ca, false);
      assert.equal(certificate.publicKey.asymmetricKeyType, algorithm);
      assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2']);
      assert.equal(certificate.validFromDate.getTime(), policy.notBefore.getTime());
      assert.equal(certificate.validToDate.getTime(), policy.notAfter.getTime());
    });

  it('copies all groups of a user', async () => {
    const ca = await createCA('ca');
    const { request } = await requestClient('jane', ['b', 'a', 'développeurs']);
    const certificate = new X509Certificate(await signCertificateRequest(ca, request, policy));
    const { CN, O } = certificate.toLegacyObject().subject;
    assert.equal(CN, 'jane');
    assert.deepEqual(new Set([O].flat()), new Set(['b', 'a', 'développeurs']));
  });

  it('refuses what is no request, and a request that its key has not signed', async () => {
    const { request } = await requestClient('jane');
    const bytes = Buffer.from(request.replaceAll(/-----[^-]*-----/g, ''), 'base64');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    await assert.rejects(readCertificateRequest(forged), /ECDSA verification failure/);
    await assert.rejects(readCertificateRequest('a'), /PEM block type must be CERTIFICATE REQUEST/);
  });
});
