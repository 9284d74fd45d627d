import assert from 'node:assert/strict';
import { expiration } from './token-cleaner.ts';

describe('expiration of a bootstrap token', () => {
  const secret = (expires: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bootstrap-token-abcdef' },
    data: { expiration: Buffer.from(expires).toString('base64') },
  });
  it('is what the Secret says', () => assert.equal(expiration(secret('1970-01-01T00:00:10Z')), 10_000));
  it('is never without one', () => assert.equal(expiration(secret('')), undefined));
  it('is past when it makes no sense', () => assert.equal(expiration(secret('tomorrow')), 0));
});
