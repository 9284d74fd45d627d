import assert from 'node:assert/strict';
import { goFormat, goSyntax } from './go-format.ts';

const value = { b: ['x', 1.5, null], a: { c: true, d: 12n } };

describe('JSON values in messages', () => {
  it('are printed as by %v', () => {
    assert.equal(goFormat(value), 'map[a:map[c:true d:12] b:[x 1.5 <nil>]]');
    assert.equal(goFormat(1e21), '1e+21');
  });
  it('are printed as by %#v, with the key type of their reader', () => {
    const inner = (keys: string) => `map[${keys}]interface {}{"c":true, "d":12}`;
    const whole = (keys: string) =>
      `map[${keys}]interface {}{"a":${inner(keys)}, "b":[]interface {}{"x", 1.5, interface {}(nil)}}`;
    assert.equal(goSyntax(value), whole('string'));
    assert.equal(goSyntax(value, 'interface {}'), whole('interface {}'));
    assert.equal(goSyntax(null), '<nil>');
  });
  it('are printed to a certain depth', () => {
    let nested: unknown = 'end';
    for (let i = 0; i < 10_000; i++) nested = [nested];
    assert.match(goSyntax(nested), /\{\.\.\.\}/);
  });
});
