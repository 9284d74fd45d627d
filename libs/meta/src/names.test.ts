import assert from 'node:assert/strict';
import * as names from './names.ts';

describe('names', () => {
  it('are accepted and refused as in Kubernetes', () => {
    const table: [(value: string) => string[], string[], string[]][] = [
      [names.isDNS1123Label, ['a', 'a-1', '1'], ['', '-a', 'A', 'a.b', 'a\n', 'x'.repeat(64)]],
      [names.isDNS1123Subdomain, ['a.b', `${'x'.repeat(100)}.y`], ['', 'a..b', 'A', '.a', 'x'.repeat(254)]],
      [names.isDNS1035Label, ['a-1'], ['1a', 'a.b']],
      [names.isQualifiedName, ['a', 'a.b/C_d', 'A'], ['', '/', 'a/', '/a', 'a/b/c', 'A.B/c', '-a']],
      [names.isValidLabelValue, ['', 'A.b_c'], ['-', 'a b', 'x'.repeat(64)]],
      [names.isConfigMapKey, ['a.b', '...a'.slice(3)], ['', '.', '..', '..a', 'a/b']],
      [names.isRelaxedEnvVarName, ['A B', '1'], ['', 'A=', '\u00e9', '\t']],
      [names.isValidPortName, ['http', 'a-1'], ['', '1', 'a--b', '-a', 'abcdefghijklmnop', 'A']],
      [names.isHTTPHeaderName, ['X-A'], ['', 'a b']],
      [names.isCIdentifier, ['_a1'], ['1a', '']],
      [names.isValidPathSegmentName, ['a:b', '...'], ['.', '..', 'a/b', 'a%b']],
    ];
    for (const [rule, good, bad] of table) {
      for (const value of good) assert.deepEqual(rule(value), [], `${rule.name} ${value}`);
      for (const value of bad) assert.notDeepEqual(rule(value), [], `${rule.name} ${value}`);
    }
  });
  it('have the error messages of apimachinery', () => {
    assert.deepEqual(names.isDNS1123Label('a.b'), ['must not contain dots']);
    assert.deepEqual(names.isDNS1123Label('A'), [
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
    assert.deepEqual(names.isQualifiedName('/x'), ['prefix part must be non-empty']);
    assert.equal(names.isQualifiedName('').length, 2);
    assert.deepEqual(names.isValidPathSegmentName('a/%'), ["may not contain '/'", "may not contain '%'"]);
  });
  it('accept a generateName that ends in a dash', () => {
    assert.deepEqual(names.nameIsDNSSubdomain('web-', true), []);
    assert.equal(names.nameIsDNSSubdomain('web-', false).length, 1);
    assert.equal(names.nameIsDNSSubdomain('-', true).length, 1);
  });
});
