import assert from 'node:assert/strict';
import { canonicalCidr, canonicalIp, parseCidr, parseCidrLoosely, parseIp, parseIpLoosely } from './ip.ts';

const canonical = (text: string): string | undefined => {
  const address = parseIp(text);
  return address === undefined ? undefined : canonicalIp(address);
};

describe('addresses', () => {
  it('have one canonical form', () => {
    assert.equal(canonical('10.0.0.1'), '10.0.0.1');
    assert.equal(canonical('2001:DB8:0:0:0:0:0:1'), '2001:db8::1');
    assert.equal(canonical('::'), '::');
    assert.equal(canonical('1:0:0:2:0:0:0:3'), '1:0:0:2::3');
    assert.equal(canonical('::ffff:10.0.0.1'), '10.0.0.1');
  });

  it('are refused when they are invalid', () => {
    for (const text of ['', '10.0.0', '10.0.0.256', '01.2.3.4', '1::2::3', ':::', '12345::', 'x']) {
      assert.equal(parseIp(text), undefined, text);
    }
    assert.notEqual(parseIpLoosely('01.2.3.4'), undefined);
  });

  it('form ranges', () => {
    const range = parseCidr('10.1.0.0/16');
    assert.ok(range);
    assert.equal(canonicalCidr(range), '10.1.0.0/16');
    assert.equal(parseCidrLoosely('10.1.2.3/16')?.hostBits, true);
    assert.equal(parseCidr('10.1.0.0/33'), undefined);
  });
});
