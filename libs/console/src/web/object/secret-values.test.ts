import assert from 'node:assert/strict';
import { decoded, HiddenValues, secretValues } from './secret-values.ts';

const secret = `apiVersion: v1
data:
  binary: /w==
  empty: ""
  password: czNjcmV0
  same: czNjcmV0
kind: Secret
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","data":{"password":"czNjcmV0"},"kind":"Secret"}
    note: kept
  name: web
stringData:
  more: "yes"
type: Opaque
`;

describe('the values of a Secret', () => {
  it('are hidden everywhere, each by a token of its own', () => {
    const hidden = new HiddenValues().hide(secret);
    for (const value of ['czNjcmV0', '/w==', '"yes"', 'apiVersion":']) assert.ok(!hidden.includes(value), hidden);
    assert.match(hidden, /password: ‹hidden 2, 6 bytes›\n {2}same: ‹hidden 2, 6 bytes›/);
    assert.match(hidden, /empty: ""/);
    assert.match(hidden, /last-applied-configuration: ‹hidden \d, 67 bytes›\n {4}note: kept/);
  });

  it('are there again in what is written', () => {
    const values = new HiddenValues();
    const revealed = values.reveal(values.hide(secret).replace('note: kept', 'note: other'));
    assert.equal(
      new HiddenValues().hide(revealed),
      new HiddenValues().hide(secret).replace('note: kept', 'note: other'),
    );
    assert.match(revealed, /password: czNjcmV0/);
    assert.match(revealed, /more: "yes"/);
    assert.match(revealed, /"password":"czNjcmV0"/);
  });

  it('have other tokens when they change', () => {
    const values = new HiddenValues();
    const before = values.hide(secret);
    assert.equal(values.hide(secret), before);
    assert.notEqual(values.hide(secret.replace('password: czNjcmV0', 'password: b3RoZXI=')), before);
  });

  it('are decoded one by one', () => {
    assert.deepEqual(secretValues(secret), [
      { key: 'binary', bytes: 1 },
      { key: 'empty', bytes: 0 },
      { key: 'password', bytes: 6 },
      { key: 'same', bytes: 6 },
    ]);
    assert.equal(decoded(secret, 'password'), 's3cret');
    assert.equal(decoded(secret, 'binary'), undefined);
  });

  it('are not a part of other values', () => {
    const values = new HiddenValues();
    const hidden = values.hide(secret).replace('note: kept', 'note: a ‹hidden 1, 1 bytes›');
    assert.throws(() => values.reveal(hidden), /must stand alone/);
  });

  it('leave a text alone that is not YAML', () => {
    assert.equal(new HiddenValues().reveal('a: ['), 'a: [');
  });
});
