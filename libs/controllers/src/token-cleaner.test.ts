import assert from 'node:assert/strict';
import { expiration } from './token-cleaner.ts';

describe('expiration of a bootstrap token', () => {
  const secret = (expires: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bootstrap-token-abcdef' },
    data: { expiration: Buffer.from(expires).toString('base64') },
  });
  it('is the value of the Secret', () => assert.equal(expiration(secret('1970-01-01T00:00:10Z')), 10_000));
  it('is never without one', () => assert.equal(expiration(secret('')), undefined));
  it('is in the past when it is malformed', () => assert.equal(expiration(secret('tomorrow')), 0));
});
