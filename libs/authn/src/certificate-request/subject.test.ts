import assert from 'node:assert/strict';
import { requestedCommonName, requestedOrganizations } from './subject.ts';

const element = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const attribute = (type: number, name: string) =>
  element(0x31, element(0x30, element(0x06, Buffer.from([0x55, 0x04, type])), element(0x0c, Buffer.from(name))));
const organization = (name: string) => attribute(0x0a, name);
const commonName = (name: string) => attribute(0x03, name);

/** A request with nothing but a version and a subject. */
function requestFor(...subject: Buffer[]): string {
  const info = element(0x30, element(0x02, Buffer.from([0])), element(0x30, ...subject));
  const der = element(0x30, info).toString('base64');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der}\n-----END CERTIFICATE REQUEST-----\n`;
}

describe('requestedOrganizations', () => {
  it('reads them, however long the subject', () => {
    assert.deepEqual(
      requestedOrganizations(requestFor(organization('a'), commonName('n'), organization('x'.repeat(300)))),
      ['a', 'x'.repeat(300)],
    );
  });
  it('reads the last common name, if there is one', () => {
    assert.equal(requestedCommonName(requestFor(commonName('a'), commonName('b'))), 'b');
    assert.equal(requestedCommonName(requestFor(organization('a'))), '');
  });
  it('throws on anything else', () => {
    for (const bad of ['', 'x', requestFor(organization('a')).replace(/\n.{6}/, '\n')]) {
      assert.throws(() => requestedOrganizations(bad));
    }
  });
});
