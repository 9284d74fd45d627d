import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { certificateRequestProblem } from './problem.ts';

const tlv = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
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
    assert.equal(certificateRequestProblem(pem(whole.subarray(0, 50))), 'asn1: syntax error: data truncated');
    const longer = Buffer.concat([whole, Buffer.from('x')]);
    assert.equal(certificateRequestProblem(pem(longer)), 'asn1: syntax error: trailing data');
    assert.equal(
      certificateRequestProblem(pem(Buffer.from('hello'))),
      "asn1: structure error: tags don't match (16 vs {class:1 tag:8 length:101 isCompound:true}) {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest @2",
    );
    assert.equal(certificateRequestProblem(pem(request(1))), 'x509: Ed25519 verification failure');
  });
});
