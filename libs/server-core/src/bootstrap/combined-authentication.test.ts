import assert from 'node:assert/strict';
import { createCA } from '@apichain/serving';
import { combinedAuthentication } from './combined-authentication.ts';

describe('the published authentication of servers with different flags', () => {
  const own = (ca: string, ...names: string[]) => ({
    'client-ca-file': ca,
    'requestheader-client-ca-file': ca,
    'requestheader-allowed-names': JSON.stringify(names),
  });

  it('has what each server needs, and stays the same when they write in turns', async () => {
    const [a, b] = [(await createCA('a')).certificate, (await createCA('b')).certificate];
    const first = combinedAuthentication(undefined, own(a, 'x', 'y'));
    assert.deepEqual(first, own(a, 'x', 'y'));
    const both = combinedAuthentication(first, own(b, 'y', 'z'));
    assert.deepEqual(both, own(a + b, 'x', 'y', 'z'));
    assert.deepEqual(combinedAuthentication(both, own(a, 'x', 'y')), both);
    assert.deepEqual(combinedAuthentication(both, {}), both);
  });

  it('drops what cannot be read and what is not part of it', async () => {
    const ca = (await createCA('a')).certificate;
    const bad = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    const present = { 'client-ca-file': bad, 'requestheader-allowed-names': 'x', other: 'y' };
    assert.deepEqual(combinedAuthentication(present, own(ca, 'z')), own(ca, 'z'));
    assert.deepEqual(combinedAuthentication({ 'client-ca-file': 7 }, own(`comment\n${ca}${ca}`)), own(ca));
  });
});
