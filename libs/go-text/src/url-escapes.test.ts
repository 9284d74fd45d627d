import assert from 'node:assert/strict';
import { encodeQuery, escapePath } from './url-escapes.ts';

describe('escapes in URLs', () => {
  it('of paths are minimal', () => {
    assert.equal(escapePath('/a:b@c=d,e+f&g$h;i~j'), '/a:b@c=d,e+f&g$h;i~j');
    assert.equal(escapePath('/a b(c)é\u{1F4A9}%'), '/a%20b%28c%29%C3%A9%F0%9F%92%A9%25');
  });

  it('of octets that are not UTF-8 keep their value', () => {
    assert.equal(escapePath('/\udcff\udc80é\u{1F4A9}\u{1F480}'), '/%FF%80%C3%A9%F0%9F%92%A9%F0%9F%92%80');
  });

  it('of parameters have spaces as plus signs, and the parameters are sorted', () => {
    assert.equal(
      encodeQuery([
        ['b', '1 2%20'],
        ['a', ''],
        ['b', '/+'],
      ]),
      'a=&b=1+2%2520&b=%2F%2B',
    );
  });
});
