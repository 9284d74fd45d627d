import assert from 'node:assert/strict';
import { stringFormat } from './formats.ts';

const accepts = (format: string, text: string): boolean => stringFormat(format)?.(text) === true;

describe('formats', () => {
  it('accept email addresses', () => {
    const good = ['a@b', ' a.b@c.d ', 'A B <a@b>', '"x y" <"q r"@[::1]>', 'é@ü', 'a.b c <a@b >'];
    assert.deepEqual(
      good.filter((text) => !accepts('email', text)),
      [],
    );
    const bad = ['', 'a', 'a@', '@b', 'a@b@c', 'a..b@c', 'a b@c', '<a@b', 'A <a b@c>', '"x@y'];
    assert.deepEqual(
      bad.filter((text) => accepts('email', text)),
      [],
    );
  });

  it('accept MAC addresses, with and without separators', () => {
    const good = ['01-23-45-67-89-ab', '0123.4567.89ab', '0123456789ab', '0123456789abcdef', '01'.repeat(20)];
    const bad = ['0123456789a', '0123456789abc', '01'.repeat(7), '012345-6789ab', '0123456789zz'];
    assert.deepEqual(
      [...good, ...bad].filter((text) => accepts('mac', text)),
      good,
    );
  });

  it('are checked in linear time', () => {
    const long = 20_000;
    assert.equal(accepts('email', 'a'.repeat(long)), false);
    assert.equal(accepts('email', ' '.repeat(long) + '"'.repeat(long)), false);
    assert.equal(accepts('duration', '1'.repeat(long)), false);
    assert.equal(accepts('cidr', `1.2.3.${'0'.repeat(long)}x/8`), false);
    assert.equal(accepts('hostname', `${'a-'.repeat(long)}!`), false);
  });
});
