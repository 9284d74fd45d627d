import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
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
  it('is none of a request that its own key has signed', () => {
    assert.equal(certificateRequestProblem(pem(request())), undefined);
    assert.equal(certificateRequestProblem(`text before\n${pem(request())}`), undefined);
  });

  it('names another kind of block, and what is no PEM', () => {
    const spoilt = pem(request()).replace('\n', '\n!');
    for (const text of ['', 'xx', pem(request(), 'CERTIFICATE'), spoilt])
      assert.equal(certificateRequestProblem(text), 'PEM block type must be CERTIFICATE REQUEST');
  });

  it('names what is wrong with the encoding and the signature', () => {
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

  it('refuses every other form than the distinguished one', () => {
    const subject = 5 + request().indexOf(Buffer.from([0x02, 0x01, 0x00])) - 2;
    const changed = (at: number, ...bytes: number[]) => {
      const copy = request();
      copy.set(bytes, at);
      return copy;
    };
    const whole = request();
    const inner = whole.subarray(2);
    const parts: Record<string, Buffer> = {
      'indefinite length': Buffer.concat([Buffer.from([0x30, 0x80]), inner, Buffer.alloc(2)]),
      'long form of a short length': Buffer.concat([Buffer.from([0x30, 0x82, 0, inner.length]), inner]),
      'a value longer than what holds it': changed(subject - 2, 0x30, 0x7f),
      'a value shorter than what it holds': changed(1, inner.length - 1),
      'a string that the library cannot decode': tlv(0x30, tlv(0x1c, Buffer.from('abc'))),
      'signature in parts': tlv(0x30, ...[whole.subarray(2, -67), tlv(0x23, whole.subarray(-67))]),
    };
    for (const [what, bytes] of Object.entries(parts))
      assert.match(certificateRequestProblem(pem(bytes)) ?? '', /^asn1: /, what);
  });

  it('refuses a signature of another kind than the key', () => {
    const { publicKey } = generateKeyPairSync('x25519');
    const spki = publicKey.export({ format: 'der', type: 'spki' });
    const info = tlv(0x30, tlv(0x02, Buffer.from([0])), tlv(0x30), spki, tlv(0xa0));
    const algorithm = tlv(0x30, tlv(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
    const bytes = tlv(0x30, info, algorithm, tlv(0x03, Buffer.alloc(65)));
    assert.equal(certificateRequestProblem(pem(bytes)), 'x509: ECDSA verification failure');
  });
});
