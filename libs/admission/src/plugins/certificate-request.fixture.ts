import { generateKeyPairSync } from 'node:crypto';

/** A DER element. */
function element(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  if (body.length >= 128 && body.length < 256) length.splice(0, 2, 0x81);
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const types = { CN: 0x03, O: 0x0a } as const;
const attribute = ([type, text]: readonly [keyof typeof types, string]) =>
  element(0x31, element(0x30, element(0x06, Buffer.from([0x55, 0x04, types[type]])), element(0x0c, Buffer.from(text))));

/** A certificate signing request in PEM, without a valid signature. */
export function certificateRequestFor(...subject: (readonly [keyof typeof types, string])[]): string {
  const spki = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });
  const version = element(0x02, Buffer.from([0]));
  const info = element(0x30, version, element(0x30, ...subject.map(attribute)), spki, element(0xa0));
  const algorithm = element(0x30, element(0x06, Buffer.from('2b6570', 'hex')));
  const der = element(0x30, info, algorithm, element(0x03, Buffer.alloc(65))).toString('base64');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der}\n-----END CERTIFICATE REQUEST-----\n`;
}
