import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { requestedCommonName, requestedOrganizations } from './request.ts';

const element = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const { length } = body;
  const bytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), body]);
};
const attribute = (type: number, name: string | Buffer, tag = 0x0c) =>
  element(0x31, element(0x30, element(0x06, Buffer.from([0x55, 0x04, type])), element(tag, Buffer.from(name))));
const organization = (name: string) => attribute(0x0a, name);
const commonName = (name: string | Buffer) => attribute(0x03, name);

const spki = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });

/** A request whose signature is not checked. */
function requestFor(...subject: Buffer[]): string {
  const info = element(0x30, element(0x02, Buffer.from([0])), element(0x30, ...subject), spki, element(0xa0));
  const algorithm = element(0x30, element(0x06, Buffer.from('2b6570', 'hex')));
  const der = element(0x30, info, algorithm, element(0x03, Buffer.alloc(65))).toString('base64');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der}\n-----END CERTIFICATE REQUEST-----\n`;
}

describe('requestedOrganizations', () => {
  it('reads them from a subject of any length', () => {
    assert.deepEqual(
      requestedOrganizations(requestFor(organization('a'), commonName('n'), organization('x'.repeat(300)))),
      ['a', 'x'.repeat(300)],
    );
  });
  it('reads the last common name, if there is one', () => {
    assert.equal(requestedCommonName(requestFor(commonName('a'), commonName('b'))), 'b');
    assert.equal(requestedCommonName(requestFor(organization('a'))), '');
  });
  it('reads every string type, and no other type hides a name', () => {
    const kinds: [number, string | Buffer][] = [
      [0x0c, 'system:masters'],
      [0x13, 'system:masters'],
      [0x14, 'system:masters'],
      [0x16, 'system:masters'],
      [0x1a, 'system:masters'],
      [0x1e, Buffer.from('system:masters', 'utf16le').swap16()],
      [0x04, 'system:masters'],
      [0x02, 'system:masters'],
    ];
    for (const [tag, value] of kinds) {
      const request = requestFor(organization('a'), attribute(0x0a, value, tag));
      assert.deepEqual(requestedOrganizations(request), ['a', 'system:masters'], `tag ${tag}`);
    }
  });
  it('reads text byte by byte, and refuses malformed text as a name', () => {
    assert.notEqual(
      requestedCommonName(requestFor(commonName(Buffer.from('system:node:a\x80', 'latin1')))),
      'system:node:a',
    );
  });
  it('throws on anything else', () => {
    for (const bad of ['', 'x', requestFor(organization('a')).replace(/\n.{6}/, '\n')]) {
      assert.throws(() => requestedOrganizations(bad));
    }
  });
});
