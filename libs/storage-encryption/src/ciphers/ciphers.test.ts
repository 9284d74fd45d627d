import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { identityTransformer } from '@apichain/storage';
import { aesCbcTransformer } from './aes-cbc.ts';
import { aesGcmTransformer, expandKey, extendedNonceGcmTransformer } from './aes-gcm.ts';
import { openSecretbox, sealSecretbox, secretboxTransformer } from './secretbox.ts';

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex');
const etcdKey = Buffer.from('/registry/secrets/default/a');

// https://nacl.cr.yp.to/valid.html
const naclKey = hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
const naclNonce = hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37');

describe('secretbox', () => {
  const message = hex(
    `be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce
     314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040
     e082f937763848645e0705`,
  );
  const box = hex(
    `f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011
     ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de
     56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5`,
  );

  it('seals and opens the published example', () => {
    assert.deepEqual(sealSecretbox(message, naclNonce, naclKey), box);
    assert.deepEqual(openSecretbox(box, naclNonce, naclKey), message);
  });

  it('refuses a message with any changed bit', () => {
    for (let bit = 0; bit < 8 * box.length; bit++) {
      const changed = Buffer.from(box);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(openSecretbox(changed, naclNonce, naclKey), undefined);
    }
  });

  it('accepts messages at any offset in memory', () => {
    const large = randomBytes(1_000_003);
    const opened = openSecretbox(sealSecretbox(large.subarray(1), naclNonce, naclKey), naclNonce, naclKey);
    assert.ok(opened?.equals(large.subarray(1)));
  });
});

describe('AES values of Kubernetes', () => {
  // Recorded from k8s.io/apiserver/pkg/storage/value/encrypt/aes.
  const authenticatedData = Buffer.from('bamboo');

  it('reads AES-GCM', async () => {
    const stored = hex(
      '9f27c8fcea8a58c467d8e437dbf2d85955f9b4bd912f4ef967d788a0cb07797dac0a3f0a0845605ca85ac8562b4ae1',
    );
    const { plain } = await aesGcmTransformer(Buffer.from('snorlax_awesomes')).fromStorage(stored, authenticatedData);
    assert.equal(plain.toString(), 'pandas are the best');
  });

  it('reads AES-GCM with an extended nonce', async () => {
    const seed = hex('5d40323a820ff95561675e3b95e81867c5fdd561d35a88a2d08b08aa9d4fcf5c');
    const stored = hex(
      '2442759e33945fbad709db577a0f037fd8a709fc76979b8942209debcecb9d57efe3d6ff6a1ef6ee9a5003b9833b3043cec1e47b35175b151107a8d2416b0e296bbf66b5d102fcefdf9a78f293d271',
    );
    const { plain } = await extendedNonceGcmTransformer(seed).fromStorage(stored, authenticatedData);
    assert.equal(plain.toString(), 'pandas are the best');
  });

  it('expands keys as RFC 5869 does', () => {
    const seed = hex('077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5');
    assert.equal(
      expandKey(seed, hex('f0f1f2f3f4f5f6f7f8f9')).toString('hex'),
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf',
    );
  });
});

describe('ciphers', () => {
  const key = randomBytes(32);
  const transformers = {
    'aescbc 16': aesCbcTransformer(randomBytes(16)),
    'aescbc 24': aesCbcTransformer(randomBytes(24)),
    'aescbc 32': aesCbcTransformer(key),
    'aesgcm 16': aesGcmTransformer(randomBytes(16)),
    'aesgcm 24': aesGcmTransformer(randomBytes(24)),
    'aesgcm 32': aesGcmTransformer(key),
    'extended nonce': extendedNonceGcmTransformer(key),
    secretbox: secretboxTransformer(key),
  };

  for (const [name, transformer] of Object.entries(transformers)) {
    it(`${name}: round-trips, with different output each time`, async () => {
      for (let length = 0; length < 70; length++) {
        const plain = randomBytes(length);
        const stored = await transformer.toStorage(plain, etcdKey);
        assert.notDeepEqual(stored, await transformer.toStorage(plain, etcdKey));
        assert.deepEqual(await transformer.fromStorage(stored, etcdKey), { plain, stale: false });
      }
    });

    it(`${name}: refuses short values`, async () => {
      await assert.rejects(
        async () => transformer.fromStorage(Buffer.alloc(3), etcdKey),
        /shorter than the required size/,
      );
    });
  }

  for (const name of ['aesgcm 32', 'extended nonce'] as const) {
    it(`${name}: refuses a changed value and one moved to another key`, async () => {
      const stored = await transformers[name].toStorage(Buffer.from('x'.repeat(100)), etcdKey);
      const refusal = /cipher: message authentication failed/;
      await assert.rejects(async () => transformers[name].fromStorage(stored, Buffer.from('/registry/b')), refusal);
      for (const at of [0, 50, stored.length - 1]) {
        const changed = Buffer.from(stored);
        changed[at] = (changed[at] ?? 0) ^ 1;
        await assert.rejects(async () => transformers[name].fromStorage(changed, etcdKey), refusal);
      }
    });
  }

  it('aescbc refuses wrong padding and part of a block', async () => {
    const stored = await transformers['aescbc 32'].toStorage(Buffer.from('abc'), etcdKey);
    await assert.rejects(
      async () => transformers['aescbc 32'].fromStorage(stored.subarray(0, 31), etcdKey),
      /multiple/,
    );
    stored[15] = (stored[15] ?? 0) ^ 0xff;
    await assert.rejects(async () => transformers['aescbc 32'].fromStorage(stored, etcdKey), /PKCS7|padding/);
  });

  it('secretbox refuses a changed value', async () => {
    const stored = await transformers.secretbox.toStorage(Buffer.from('abc'), etcdKey);
    stored[30] = (stored[30] ?? 0) ^ 1;
    await assert.rejects(
      async () => transformers.secretbox.fromStorage(stored, etcdKey),
      /output array was not large enough for encryption/,
    );
  });

  it('identity refuses encrypted values', () => {
    assert.throws(
      () => identityTransformer.fromStorage(Buffer.from('k8s:enc:aescbc:v1:key1:x'), etcdKey),
      /identity transformer tried to read encrypted data/,
    );
  });
});
