import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { parseToken, signToken } from '../service-account/jwt.ts';
import { parseSigningKey } from '../service-account/keys.ts';
import { ProviderKeys } from './provider-keys.ts';

function newKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return parseSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
}
const published = (keys: readonly ReturnType<typeof newKey>[]) => ({
  keys: keys.map(({ key, id: kid }) => ({ ...key.export({ format: 'jwk' }), kid })),
});
async function tokenOf(key: ReturnType<typeof newKey>, n = 0) {
  const parsed = parseToken(await signToken(key, { n }));
  assert.ok(parsed !== undefined);
  return parsed;
}

describe('keys of a provider', () => {
  const known = newKey();
  const unknown = newKey();

  it('are read again for unknown keys, at a bounded rate', async () => {
    let reads = 0;
    const keys = new ProviderKeys('https://issuer.example.com/keys', () => {
      reads++;
      return Promise.resolve(published([known]));
    });
    assert.equal(await keys.isSigned(await tokenOf(known)), true);
    assert.equal(reads, 1);
    for (let n = 0; n < 50; n++) assert.equal(await keys.isSigned(await tokenOf(unknown, n)), false);
    assert.ok(reads > 1 && reads <= 5, String(reads));
    assert.equal(await keys.isSigned(await tokenOf(known)), true);
  });

  it('stay valid while the provider does not respond', async () => {
    let isDead = false;
    const keys = new ProviderKeys(
      'https://issuer.example.com/keys',
      (_url, signal) => {
        if (!isDead) return Promise.resolve(published([known]));
        return new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('no response')), { once: true });
        });
      },
      500,
    );
    assert.equal(await keys.isSigned(await tokenOf(known)), true);
    isDead = true;
    let hasWaited = false;
    const waiting = keys.isSigned(await tokenOf(unknown)).finally(() => (hasWaited = true));
    for (let n = 0; n < 20; n++) assert.equal(await keys.isSigned(await tokenOf(known, n)), true);
    assert.equal(hasWaited, false);
    await assert.rejects(waiting, /no response/);
  });

  it('that are malformed are skipped', async () => {
    const [jwk] = published([known]).keys;
    const odd = [
      { kty: 'odd' },
      { ...jwk, y: 'AAAA' },
      { ...jwk, crv: 'P-384' },
      { kty: 'oct', k: 'AAAA' },
      { ...jwk, use: 'enc' },
      { ...jwk, d: 'AAAA' },
    ];
    const only = new ProviderKeys('https://issuer.example.com/keys', () => Promise.resolve({ keys: odd }));
    assert.equal(await only.isSigned(await tokenOf(known)), false);
    const among = new ProviderKeys('https://issuer.example.com/keys', () => Promise.resolve({ keys: [...odd, jwk] }));
    assert.equal(await among.isSigned(await tokenOf(known)), true);
    for (const nothing of [null, {}, { keys: 1 }, []])
      await assert.rejects(
        new ProviderKeys('https://issuer.example.com/keys', () => Promise.resolve(nothing)).isSigned(
          await tokenOf(known),
        ),
        /malformed/,
      );
  });
});
