import assert from 'node:assert/strict';
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { aesCbcTransformer } from './aes-cbc.ts';
import { aesGcmTransformer } from './aes-gcm.ts';
import { expandKey, extendedNonceGcmTransformer } from './extended-nonce-gcm.ts';
import { identityTransformer } from '../../transformer.ts';
import { poly1305 } from './poly1305.ts';
import { openSecretbox, sealSecretbox, secretboxTransformer } from './secretbox.ts';
import { hsalsa20, xsalsa20KeyStream } from './xsalsa20.ts';

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex');
const etcdKey = Buffer.from('/registry/secrets/default/a');

// https://nacl.cr.yp.to/valid.html
const naclKey = hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
const naclNonce = hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37');

describe('xsalsa20', () => {
  it('derives the key of the published example', () => {
    const shared = hex('4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742');
    assert.deepEqual(hsalsa20(shared, Buffer.alloc(16)), naclKey);
  });

  it('makes the published key stream', () => {
    const stream = xsalsa20KeyStream(naclKey, naclNonce, 4_194_304);
    assert.equal(
      createHash('sha256').update(stream).digest('hex'),
      '662b9d0e3463029156069b12f918691a98f7dfb2ca0393c96bbfc6b1fbd630a2',
    );
  });
});

describe('poly1305', () => {
  it('makes the tag of RFC 8439, 2.5.2', () => {
    const key = hex('85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b');
    const tag = poly1305(Buffer.from('Cryptographic Forum Research Group'), key);
    assert.equal(tag.toString('hex'), 'a8061dc1305136c6c22b8baf0c0127a9');
  });

  it('reduces at the edges, RFC 8439, A.3', () => {
    const r2 = hex(`02${'00'.repeat(31)}`);
    const r1 = hex(`01${'00'.repeat(31)}`);
    const ff = 'ff'.repeat(16);
    assert.equal(poly1305(hex(ff), r2).toString('hex'), `03${'00'.repeat(15)}`);
    assert.equal(
      poly1305(hex(`02${'00'.repeat(15)}`), hex(`02${'00'.repeat(15)}${ff}`)).toString('hex'),
      `03${'00'.repeat(15)}`,
    );
    assert.equal(
      poly1305(hex(`${ff}f0${'ff'.repeat(15)}11${'00'.repeat(15)}`), r1).toString('hex'),
      `05${'00'.repeat(15)}`,
    );
    assert.equal(
      poly1305(hex(`${ff}fbfefefefefefefefefefefefefefefe${'01'.repeat(16)}`), r1).toString('hex'),
      '00'.repeat(16),
    );
    assert.equal(poly1305(hex(`fd${'ff'.repeat(15)}`), r2).toString('hex'), `fa${'ff'.repeat(15)}`);
  });

  it('agrees with OpenSSL for every length', () => {
    for (let length = 0; length < 200; length++) {
      const key = randomBytes(32);
      const nonce = randomBytes(12);
      const data = randomBytes(length);
      const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 }).setAAD(data, {
        plaintextLength: 0,
      });
      cipher.final();
      const counterAndNonce = Buffer.concat([Buffer.alloc(4), nonce]);
      const tagKey = createCipheriv('chacha20', key, counterAndNonce).update(Buffer.alloc(32));
      const lengths = Buffer.alloc(16);
      lengths.writeUInt32LE(length);
      const padding = Buffer.alloc((16 - (length % 16)) % 16);
      assert.deepEqual(poly1305(Buffer.concat([data, padding, lengths]), tagKey), cipher.getAuthTag());
    }
  });
});

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

  it('opens nothing that was changed', () => {
    const changed = Buffer.from(box);
    changed[40] = (changed[40] ?? 0) ^ 1;
    assert.equal(openSecretbox(changed, naclNonce, naclKey), undefined);
  });
});

describe('AES values that Kubernetes wrote', () => {
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
    it(`${name}: reads what it wrote, which differs each time`, async () => {
      for (let length = 0; length < 70; length++) {
        const plain = randomBytes(length);
        const stored = await transformer.toStorage(plain, etcdKey);
        assert.notDeepEqual(stored, await transformer.toStorage(plain, etcdKey));
        assert.deepEqual(await transformer.fromStorage(stored, etcdKey), { plain, stale: false });
      }
    });

    it(`${name}: refuses what is too short`, async () => {
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

  it('identity does not read what is encrypted', () => {
    assert.throws(
      () => identityTransformer.fromStorage(Buffer.from('k8s:enc:aescbc:v1:key1:x'), etcdKey),
      /identity transformer tried to read encrypted data/,
    );
  });
});
