import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { tlsWarnings } from './tls-warnings.ts';

const secret = (certificate: string, key: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's' },
  type: 'kubernetes.io/tls',
  data: { 'tls.crt': Buffer.from(certificate).toString('base64'), 'tls.key': Buffer.from(key).toString('base64') },
});
const block = (type: string, body = 'AAAA') => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;

describe('tlsWarnings', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  it('reports missing data', () => {
    assert.deepEqual(tlsWarnings(secret('', '')), ['tls: failed to find any PEM data in certificate input']);
    assert.deepEqual(tlsWarnings(secret(block('CERTIFICATE'), 'x')), ['tls: failed to find any PEM data in key input']);
    assert.deepEqual(tlsWarnings(secret(block('PRIVATE KEY'), '')), [
      'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
    ]);
    assert.deepEqual(tlsWarnings(secret(block('CERTIFICATE'), block('CERTIFICATE'))), [
      'tls: found a certificate rather than a key in the PEM for the private key',
    ]);
  });

  it('reports invalid data', () => {
    assert.deepEqual(tlsWarnings(secret(block('CERTIFICATE'), key.toString())), ['x509: malformed certificate']);
  });

  it('applies to TLS secrets only', () => {
    assert.deepEqual(tlsWarnings({ ...secret('', ''), type: 'Opaque' }), []);
  });
});
