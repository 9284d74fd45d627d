import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { ClientCertificateAuthenticator } from '@apichain/authn';
import { attribute, encodeCertificate, extensions, nameOf, strings } from '@apichain/x509/certificate.fixture';

const { utf8, t61, bmp } = strings;
type Der = Buffer;

describe('users of client certificates with odd subjects', () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = nameOf(attribute('CN', 'ca'));
  const certificate = (subject: Der, extension: Der) =>
    new X509Certificate(
      encodeCertificate(
        {
          ...{ issuer, subject, extensions: [extension], publicKey: keys.publicKey },
          ...{ notBefore: Date.parse('1970-01-01'), notAfter: Date.parse('2049-12-31') },
        },
        keys.privateKey,
      ),
    );
  const authenticator = new ClientCertificateAuthenticator([certificate(issuer, extensions.ca())]);

  /** The user for a subject. Each argument is a relative name of one or more attributes. */
  function userOf(...names: Der[]) {
    const shown = certificate(nameOf(...names), extensions.usages(false, '1.3.6.1.5.5.7.3.2'));
    const socket = Object.assign(new Socket(), { getPeerX509Certificate: () => shown });
    return authenticator.authenticate(new IncomingMessage(socket));
  }

  it('have the last common name and all organizations', () => {
    const user = userOf(attribute('CN', 'first'), attribute('O', 'a'), attribute('CN', 'last'), attribute('O', 'b'));
    assert.deepEqual([user?.name, user?.groups], ['last', ['a', 'b']]);
    const together = userOf(Buffer.concat([attribute('CN', 'jane'), attribute('O', 'a')]));
    assert.deepEqual([together?.name, together?.groups], ['jane', ['a']]);
    assert.equal(userOf(attribute('O', 'a')), undefined);
    assert.equal(userOf(attribute('CN', 'jane'), attribute('CN', '')), undefined);
  });

  it('are used literally, and no character separates them', () => {
    for (const text of [
      'a\0b',
      'a\nO=system:masters',
      'a, O=system:masters',
      'a + O=b',
      ' a ',
      'a\\',
      '"a"',
      '\u0001',
      'é',
    ]) {
      const user = userOf(attribute('CN', text), attribute('O', text));
      assert.deepEqual([user?.name, user?.groups], [text, [text]]);
    }
    assert.deepEqual(userOf(attribute('CN', 'a'), attribute('O', ''))?.groups, ['']);
  });

  it('are decoded by their string type, and refused with another type', () => {
    assert.equal(userOf(attribute('CN', Buffer.from([0x00, 0x61, 0x20, 0xac]), bmp))?.name, 'a€');
    assert.equal(userOf(attribute('CN', Buffer.from([0x61, 0xe9]), t61))?.name, 'aé');
    const broken: [Buffer, number][] = [
      [Buffer.from([0xff, 0x61]), utf8],
      [Buffer.from([0x00, 0x61, 0x20]), bmp],
      [Buffer.from([0xd8, 0x00, 0x00, 0x61]), bmp],
      [Buffer.from([0x01]), 0x02],
      [Buffer.from('abc'), 0x04],
    ];
    for (const [bytes, tag] of broken) assert.throws(() => userOf(attribute('CN', 'a'), attribute('CN', bytes, tag)));
  });

  it('have at most one uid', () => {
    const jane = attribute('CN', 'jane');
    assert.equal(userOf(jane, attribute('uid', '1'))?.uid, '1');
    assert.throws(() => userOf(jane, attribute('uid', '1'), attribute('uid', '2')), /found multiple: \[1 2\]/);
    assert.throws(() => userOf(jane, attribute('uid', '')), /cannot be an empty string/);
  });
});
