import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CachedTokenAuthenticator } from './token-cache.ts';

const user = { name: 'jane', uid: '', groups: [], extra: {} };

describe('the token cache', () => {
  /** A cache over tokens that are valid for the audiences after their first word, and the number of calls to the inner authenticator. */
  function cache(lifetimeMs?: number) {
    const asked: string[] = [];
    const inner = {
      authenticateToken: (token: string, audiences: readonly string[] = ['api']) => {
        asked.push(token.slice(0, 20));
        const [, ...own] = token.split('/');
        return own.some((each) => audiences.includes(each)) ? { user, audiences } : undefined;
      },
    };
    return { asked, tokens: new CachedTokenAuthenticator(inner, { lifetimeMs }) };
  }

  it('authenticates a token once, and a refused token each time', async () => {
    const { asked, tokens } = cache();
    for (let i = 0; i < 3; i++) assert.equal((await tokens.authenticateToken('t/api'))?.user, user);
    for (let i = 0; i < 3; i++) assert.equal(await tokens.authenticateToken('t/vault'), undefined);
    assert.equal(asked.length, 4);
    assert.ok(!(tokens.authenticateToken('t/api') instanceof Promise), 'what is known is told without a promise');
  });

  it('forgets a token also when the clock of the machine is set back', async () => {
    const { asked, tokens } = cache(1);
    await tokens.authenticateToken('t/api');
    await sleep(5);
    mock.method(Date, 'now', () => 0);
    try {
      await tokens.authenticateToken('t/api');
    } finally {
      mock.restoreAll();
    }
    assert.equal(asked.length, 2);
  });

  it('caches a token for its audiences only', async () => {
    const { tokens } = cache();
    // A caller that authenticates the token for another audience must not make it valid for this API.
    assert.ok(await tokens.authenticateToken('t/vault', ['vault']));
    for (const token of ['t/vault vault', 't/vault ["vault"]', '["vault"] t/vault', '["t/vault","vault"]', 't/vault'])
      assert.equal(await tokens.authenticateToken(token), undefined, token);
    assert.ok(await tokens.authenticateToken('t/a', ['a', 'b']));
    assert.equal(await tokens.authenticateToken('t/a', ['a b']), undefined);
    assert.equal(await tokens.authenticateToken('t/a', ['a","b']), undefined);
  });

  it('evicts the oldest tokens by number and by size', async () => {
    const many = cache();
    for (let i = 0; i < 5_000; i++) await many.tokens.authenticateToken(`${i}/api`);
    many.asked.length = 0;
    for (let i = 4_999; i >= 0; i--) await many.tokens.authenticateToken(`${i}/api`);
    assert.ok(many.asked.length > 900 && many.asked.length < 5_000, String(many.asked.length));
    const long = cache();
    const text = (i: number) => `${i} ${'x'.repeat(1 << 20)}/api`;
    for (let i = 0; i < 40; i++) await long.tokens.authenticateToken(text(i));
    long.asked.length = 0;
    await long.tokens.authenticateToken(text(39));
    assert.equal(long.asked.length, 0);
    await long.tokens.authenticateToken(text(20));
    assert.equal(long.asked.length, 1);
  });
});
