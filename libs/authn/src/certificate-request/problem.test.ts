import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { certificateRequestProblem } from './problem.ts';

const tlv = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const length = content.length < 0x80 ? [content.length] : [0x81, content.length];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const pem = (der: Buffer, type = 'CERTIFICATE REQUEST') =>
  `-----BEGIN ${type}-----\n${der.toString('base64')}\n-----END ${type}-----\n`;

/** A request without a subject, signed with a new Ed25519 key. */
function request(flip = 0): Buffer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const info = tlv(0x30, tlv(0x02, Buffer.from([0])), tlv(0x30), spki, tlv(0xa0));
  const signature = sign(null, info, privateKey);
  signature.writeUInt8(signature.readUInt8(0) ^ flip, 0);
  const algorithm = tlv(0x30, tlv(0x06, Buffer.from('2b6570', 'hex')));
  return tlv(0x30, info, algorithm, tlv(0x03, Buffer.from([0]), signature));
}

describe('certificateRequestProblem', () => {
  it('is undefined for a request that its own key has signed', () => {
    assert.equal(certificateRequestProblem(pem(request())), undefined);
    assert.equal(certificateRequestProblem(`text before\n${pem(request())}`), undefined);
  });

  it('names another type of PEM block, and malformed PEM', () => {
    const spoilt = pem(request()).replace('\n', '\n!');
    for (const text of ['', 'xx', pem(request(), 'CERTIFICATE'), spoilt])
      assert.equal(certificateRequestProblem(text), 'PEM block type must be CERTIFICATE REQUEST');
  });

  it('names errors of the encoding and the signature', () => {
    const whole = request();
    for (const bytes of [whole.subarray(0, 50), Buffer.from('hello')])
      assert.match(certificateRequestProblem(pem(bytes)) ?? '', /^asn1: syntax error: /);
    const longer = Buffer.concat([whole, Buffer.from('x')]);
    assert.equal(certificateRequestProblem(pem(longer)), 'asn1: syntax error: trailing data');
    assert.equal(
      certificateRequestProblem(pem(tlv(0x30, tlv(0x30), tlv(0x30), tlv(0x03, Buffer.alloc(1))))),
      'asn1: structure error: not a certificate request',
    );
    assert.equal(certificateRequestProblem(pem(request(1))), 'x509: Ed25519 verification failure');
  });

  it('refuses every encoding except DER', () => {
    const whole = request();
    const inner = whole.subarray(2);
    const body = inner.subarray(0, -67);
    const signature = inner.subarray(-67);
    const at = whole.indexOf(Buffer.from([0x02, 0x01, 0x00]));
    const changed = (...bytes: number[]) => {
      const copy = Buffer.from(whole);
      copy.set(bytes, at - 2);
      return copy;
    };
    assert.deepEqual([...signature.subarray(0, 3)], [0x03, 65, 0]);
    assert.equal(certificateRequestProblem(pem(whole)), undefined);
    const parts: Record<string, readonly [bytes: Buffer, problem: string]> = {
      'indefinite length': [
        Buffer.concat([Buffer.from([0x30, 0x80]), inner, Buffer.alloc(2)]),
        'asn1: syntax error: indefinite length found (not DER)',
      ],
      'long form of a short length': [
        Buffer.concat([Buffer.from([0x30, 0x81, inner.length]), inner]),
        'asn1: structure error: non-minimal length',
      ],
      'a length with a zero before it': [
        Buffer.concat([Buffer.from([0x30, 0x82, 0, inner.length]), inner]),
        'asn1: structure error: non-minimal length',
      ],
      'a value longer than what holds it': [
        changed(0x30, 0x7f),
        'asn1: syntax error: End of input reached before message was fully decoded (inconsistent offset and length values)',
      ],
      'a value shorter than what it holds': [
        Buffer.concat([Buffer.from([0x30, inner.length - 1]), inner]),
        'asn1: syntax error: data truncated',
      ],
      'a string that the library cannot decode': [
        tlv(0x30, tlv(0x1c, Buffer.from('abc'))),
        'asn1: syntax error: a value cannot be decoded',
      ],
      'signature in parts': [
        tlv(0x30, body, tlv(0x23, signature)),
        'asn1: structure error: a string in parts (not DER)',
      ],
      'unused bits in the signature': [
        tlv(0x30, body, Buffer.concat([Buffer.from([0x03, 65, 3]), signature.subarray(3, -1), Buffer.from([0x0f])])),
        'asn1: syntax error: invalid padding bits in BIT STRING',
      ],
    };
    for (const [what, [bytes, problem]] of Object.entries(parts))
      assert.equal(certificateRequestProblem(pem(bytes)), problem, what);
  });

  it('refuses a signature of another kind than the key', () => {
    const { publicKey } = generateKeyPairSync('x25519');
    const spki = publicKey.export({ format: 'der', type: 'spki' });
    const info = tlv(0x30, tlv(0x02, Buffer.from([0])), tlv(0x30), spki, tlv(0xa0));
    const algorithm = tlv(0x30, tlv(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
    const bytes = tlv(0x30, info, algorithm, tlv(0x03, Buffer.alloc(65)));
    assert.equal(certificateRequestProblem(pem(bytes)), 'x509: ECDSA verification failure');
  });

  it('accepts no request with a changed byte, and throws for none', () => {
    const whole = request();
    const change = fc.oneof(
      fc.record({
        at: fc.nat(whole.length - 1),
        remove: fc.constant(1),
        bytes: fc.uint8Array({ minLength: 1, maxLength: 1 }),
      }),
      fc.record({ at: fc.nat(whole.length), remove: fc.nat(4), bytes: fc.uint8Array({ maxLength: 4 }) }),
    );
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), (changes) => {
        let bytes = whole;
        for (const { at, remove, bytes: added } of changes)
          bytes = Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + remove)]);
        if (certificateRequestProblem(pem(bytes)) !== undefined) return;
        accepted++;
        const { info, algorithm, key, signature } = partsOf(bytes);
        if (algorithm !== '06032b6570') return;
        const publicKey = keyOf(key);
        if (publicKey === undefined) return;
        assert.ok(verify(null, info, publicKey, signature), bytes.toString('hex'));
      }),
      // The example has an object identifier where the request is a sequence.
      { numRuns: 3_000, examples: [[[{ at: 0, remove: 1, bytes: Uint8Array.of(6) }]]] },
    );
    assert.ok(accepted > 0, 'unchanged ones are among them');
  });
});

/** One DER value at an offset, read without the library. */
function valueAt(bytes: Buffer, at: number): { readonly content: Buffer; readonly end: number } {
  const first = bytes[at + 1] ?? 0;
  const long = first >= 0x80 ? first - 0x80 : 0;
  const length = long === 0 ? first : bytes.readUIntBE(at + 2, long);
  const from = at + 2 + long;
  assert.ok(from + length <= bytes.length, 'a value is as long as it says');
  return { content: bytes.subarray(from, from + length), end: from + length };
}

function valuesIn(content: Buffer): Buffer[] {
  const values: Buffer[] = [];
  for (let at = 0; at < content.length;) {
    const { end } = valueAt(content, at);
    values.push(content.subarray(at, end));
    at = end;
  }
  return values;
}

function partsOf(bytes: Buffer) {
  const { content, end } = valueAt(bytes, 0);
  assert.equal(end, bytes.length, 'nothing follows');
  const [info = Buffer.alloc(0), algorithm = Buffer.alloc(0), signature = Buffer.alloc(0)] = valuesIn(content);
  const [, , key = Buffer.alloc(0)] = valuesIn(valueAt(info, 0).content);
  return {
    info,
    algorithm: valueAt(algorithm, 0).content.subarray(0, 5).toString('hex'),
    key,
    signature: valueAt(signature, 0).content.subarray(1),
  };
}

/** undefined = node:crypto does not support the key. */
function keyOf(spki: Buffer) {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
