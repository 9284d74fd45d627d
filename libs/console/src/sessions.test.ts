import assert from 'node:assert/strict';
import type { Identity } from './identity.ts';
import { Sessions, TooManySessionsError } from './sessions.ts';

const identity = (name: string, expiresAt?: number): Identity => {
  const user = { name, uid: '', groups: [], extra: {} };
  return { owner: { user, credential: { token: name } }, user, impersonation: [], expiresAt };
};

describe('sessions', () => {
  let now = 0;
  let sessions: Sessions;
  beforeEach(() => {
    now = 1_000;
    sessions = new Sessions({ codeMs: 100, sessionMs: 1_000, codesOfUser: 2, maxCodes: 3 }, () => now);
  });

  it('take the oldest code of a user for a new one, and never one of another user', () => {
    const other = sessions.invite(identity('b'));
    const codes = [1, 2, 3].map(() => sessions.invite(identity('a')).code);
    assert.throws(() => sessions.invite(identity('c')), TooManySessionsError);
    assert.equal(sessions.redeem(codes[0] ?? ''), undefined);
    for (const code of [other.code, ...codes.slice(1)]) assert.ok(sessions.redeem(code));
    assert.ok(sessions.invite(identity('c')));
  });

  it('make room when codes expire', () => {
    for (const name of ['a', 'b', 'c']) sessions.invite(identity(name));
    assert.throws(() => sessions.invite(identity('d')), TooManySessionsError);
    now += 100;
    assert.ok(sessions.invite(identity('d')));
  });

  it('live no longer than the credential, neither do codes', () => {
    assert.equal(sessions.invite(identity('a', 1_050)).expiresAt, 1_050);
    assert.equal(sessions.invite(identity('a', 9_999)).expiresAt, 1_100);
    const session = sessions.begin(identity('a', 1_500));
    assert.equal(session.expiresAt, 1_500);
    assert.equal(sessions.begin(identity('a', 9_999)).expiresAt, 2_000);
    now = 1_500;
    sessions.endExpired();
    assert.equal(session.ended.aborted, true);
    assert.equal(sessions.ofPass(session.pass), undefined);
  });

  it('are refused to more service accounts of a namespace, and not to others', () => {
    const account = (namespace: string, i: number) => identity(`system:serviceaccount:${namespace}:a${String(i)}`);
    const few = new Sessions({ maxSessions: 16, maxCodes: 16 }, () => now);
    for (const i of [0, 1]) {
      few.begin(account('a', i));
      few.invite(account('a', i));
    }
    assert.throws(() => few.begin(account('a', 2)), TooManySessionsError);
    assert.throws(() => few.invite(account('a', 2)), TooManySessionsError);
    assert.ok(few.begin(account('b', 0)));
    assert.ok(few.invite(identity('a')));
  });
});
