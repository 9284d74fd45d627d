import assert from 'node:assert/strict';
import fc from 'fast-check';
import { escapeFieldValue, parseFieldSelector } from './field-selector.ts';

describe('parseFieldSelector', () => {
  it('reads terms, sorted, with escapes', () => {
    const selector = parseFieldSelector('spec.nodeName!=n1,metadata.name==a\\,b');
    assert.deepEqual(selector.requirements, [
      { field: 'metadata.name', operator: '=', value: 'a,b' },
      { field: 'spec.nodeName', operator: '!=', value: 'n1' },
    ]);
    assert.equal(selector.toString(), 'metadata.name=a\\,b,spec.nodeName!=n1');
    assert.equal(selector.matches({ 'metadata.name': 'a,b' }), true);
    assert.equal(selector.matches({ 'metadata.name': 'a,b', 'spec.nodeName': 'n1' }), false);
    assert.equal(selector.requiresExactMatch('metadata.name'), 'a,b');
    assert.equal(parseFieldSelector(',').empty, true);
  });
  it('has the error messages of Kubernetes', () => {
    for (const [text, message] of [
      ['a', "invalid selector: 'a'; can't understand 'a'"],
      ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
      ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
      ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ] as const) {
      assert.throws(() => parseFieldSelector(text), { name: 'SelectorError', message });
    }
  });
  it('renames and drops requirements', () => {
    const selector = parseFieldSelector('a=1,b=2').transform((field, value) =>
      field === 'a' ? { field: '', value: '' } : { field: `x.${field}`, value },
    );
    assert.equal(selector.toString(), 'x.b=2');
  });
  it('reads any value that was escaped', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const [requirement] = parseFieldSelector(`f=${escapeFieldValue(value)}`).requirements;
        // A value that begins with an equals sign is escaped, so the text never contains `==`.
        assert.equal(requirement?.value, value);
      }),
    );
  });
  it('has a bounded number of requirements', () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => `metadata.name!=a${i}`).join(',');
    assert.equal(parseFieldSelector(many(1000)).requirements.length, 1000);
    assert.throws(() => parseFieldSelector(many(1001)), { name: 'SelectorError' });
  });
});
