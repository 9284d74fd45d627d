import assert from 'node:assert/strict';
import { type KeyObject, generateKeyPairSync, verify } from 'node:crypto';
import { legacyToken } from './legacy-token.ts';

const subject = { namespace: 'shop', serviceAccount: 'robot', serviceAccountUid: 'u1', secret: 'robot-token' };

function decode(token: string, publicKey: KeyObject): [Record<string, string>, Record<string, string>] {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const signed = Buffer.from(`${header}.${claims}`);
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  assert.ok(verify('sha256', signed, key, Buffer.from(signature, 'base64url')));
  const json = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, string>;
  return [json(header), json(claims)];
}

describe('legacyToken', () => {
  it('has the claims of the account and is signed with an RSA key', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const [header, claims] = decode(legacyToken(subject, privateKey), publicKey);
    assert.equal(header['alg'], 'RS256');
    assert.equal(claims['iss'], 'kubernetes/serviceaccount');
    assert.equal(claims['sub'], 'system:serviceaccount:shop:robot');
    assert.equal(claims['kubernetes.io/serviceaccount/secret.name'], 'robot-token');
  });
  it('is signed with a P-256 key', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    assert.equal(decode(legacyToken(subject, privateKey), publicKey)[0]['alg'], 'ES256');
  });
  it('needs a key of these types', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    assert.throws(() => legacyToken(subject, privateKey), /must be an RSA or a P-256 key/);
  });
});
