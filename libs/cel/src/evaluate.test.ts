import assert from 'node:assert/strict';
import { check } from './checker.ts';
import { CompileError } from './issues.ts';
import { parse } from './parser.ts';
import { program } from './interpreter.ts';
import type { Value } from './values.ts';

function evaluate(source: string): Value | string {
  const { value, error } = program(check(source, parse(source), new Map()))(new Map(), 1_000_000);
  return error?.message ?? value ?? null;
}

const holds = [
  "'%s'.format([[1e21, dyn(-0.0)]]) == '[1000000000000000000000.000000, -0.000000]' && '%.1f'.format([1e21]).endsWith('000.0')",
  "url('mailto:x').getEscapedPath() == ''",
  '1 + 2 * 3 == 7 && 7 / 2 == 3 && -7 % 3 == -1',
  '9223372036854775807 > 9223372036854775806 && 0xff == 255 && 2u + 3u == 5u',
  'dyn(1) == 1.0 && 1u < 1.5 && dyn(1) == 1u && 1.5e3 == 1500.0',
  "'a' + 'b' == 'ab' && size('h\u00e9llo') == 5 && b'ab' == bytes('ab') && '\\u00e9' == '\u00e9'",
  '[1, 2] + [3] == [1, 2, 3] && 2 in [1, 2] && !(4 in [1]) && [1, 2][1] == 2',
  "{'a': 1}.a == 1 && {'a': 1}['a'] == 1 && 'a' in {'a': 1} && has({'a': 1}.a) && !has({'a': 1}.b)",
  '[1, 2, 3].all(x, x > 0) && [1, 2].exists(x, x == 2) && [1, 1, 2].exists_one(x, x == 2)',
  '[1, 2].map(x, x * 2) == [2, 4] && [1, 2, 3].filter(x, x > 1) == [2, 3] && [1, 2].map(x, x > 1, x) == [2]',
  '[[1, 2], [3]].all(l, l.all(x, l.exists(y, y == x)))',
  "['a', 'b'].all(i, v, i < 2 && v != 'c') && ['a'].transformList(i, v, v + string(i)) == ['a0']",
  "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2} && ['x'].transformMapEntry(i, v, {v: i}) == {'x': 0}",
  'false && 1 / 0 == 1 || true',
  '(1 / 0 == 1) || true',
  '[0, 1].exists(x, 1 / x == 1)',
  "{'a': 1}[?'b'].orValue(2) == 2 && {'a': 1}.?a.hasValue() && optional.of(1).optMap(x, x + 1).value() == 2",
  "[?optional.none(), 1] == [1] && {?'a': optional.of(1)} == {'a': 1}",
  "timestamp('2020-01-02T03:04:05Z') + duration('1h') == timestamp('2020-01-02T04:04:05Z')",
  "timestamp('2020-01-02T03:04:05Z').getFullYear() == 2020 && timestamp('2020-01-02T03:04:05Z').getHours('-02:00') == 1",
  "duration('90s').getMinutes() == 1 && string(duration('90s')) == '90s'",
  "type(1) == int && type('') == string && type([]) == list && type(1) != type(1u)",
  "int('000000000000000000000000000042') == 42 && double('1.') == 1.0 && double('.5') == 0.5",
  "int('42') == 42 && double('1.5') == 1.5 && string(1.5) == '1.5' && uint(3) == 3u && int(2.9) == 2",
  "'a,b,c'.split(',', 2) == ['a', 'b,c'] && ['a', 'b'].join('-') == 'a-b' && 'abc'.substring(1) == 'bc'",
  "'hello'.replace('l', 'L', 1) == 'heLlo' && 'tacocat'.lastIndexOf('a') == 5 && ' x '.trim() == 'x'",
  "'%s %d %.2f %x %b'.format(['a', 1, 1.239, 255, 5]) == 'a 1 1.24 ff 101'",
  "'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'abc'.matches('^a.c$') && strings.quote('a\"') == '\"a\\\\\"\"'",
  '[1, 2, 3].sum() == 6 && [3, 1].min() == 1 && [1, 2].isSorted() && [1, 2, 1].indexOf(1) == 0',
  'sets.contains([1, 2], [1]) && sets.equivalent([1, 1], [1]) && !sets.intersects([1], [2])',
  '[3, 1, 3].distinct() == [3, 1] && [2, 1].sort() == [1, 2] && [[1], [2]].flatten() == [1, 2]',
  "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1500m').add(quantity('500m')) == quantity('2') && quantity('1k').add(1).asInteger() == 1001",
  "ip('::1').family() == 6 && cidr('10.0.0.0/8').containsIP('10.1.2.3') && string(ip('2001:db8::0001')) == '2001:db8::1'",
  "url('https://a.b:80/p?x=1').getHost() == 'a.b:80' && isURL('/x') && !isURL('x')",
  "semver('1.2.3').isLessThan(semver('1.10.0')) && isSemver('v1.0', true) && !isSemver('v1.0')",
  "format.dns1123Label().validate('A').hasValue() && !format.named('x').hasValue()",
  "['b', 'a'].sortBy(x, x) == ['a', 'b'] && lists.range(3).sortBy(e, -e) == [2, 1, 0]",
  "dyn([1.0, 2.0]).sum() == 3.0 && [duration('1s')].filter(d, false).sum() == duration('0')",
  "string(timestamp('2020-01-01T10:00:00.50+01:00')) == '2020-01-01T10:00:00.5+01:00'",
  "string(1234567.0) == '1.234567e+06' && string(duration('1us')) == '0.000001s'",
  "'%s'.format([['a', 1.5]]) == '[\"a\", 1.500000]' && '%s'.format([{'k': 1}]) == '{\"k\":1}'",
  "'%f'.format([1234567.5]) == '1,234,567.500000' && '%e'.format([3.14]) == '3.140000×10⁰⁰'",
  "'abc'.indexOf('a', 9) == -1 && 'ab'.replace('', '-') == '-a-b-' && 'ab'.replace('', '-', 1) == '-ab'",
  "optional.ofNonZeroValue(duration('0s')) == optional.none() && url('mailto:a@b').getScheme() == 'mailto'",
  '!has(dyn(null).a) && !has(dyn("x").a)',
  'dyn(null).?a.orValue(1) == 1',
  'dyn([1, 2])[dyn(1.0)] == 2',
];
const yields: [string, string][] = [
  ['9223372036854775807 + 1', 'integer overflow'],
  ['1 / 0', 'division by zero'],
  ['0u - 1u', 'unsigned integer overflow'],
  ["{'a': 1}['b']", 'no such key: b'],
  ['[1][1]', 'index out of bounds: 1'],
  ['dyn(1) + dyn("a")', 'no such overload'],
  ["'abc'.substring(4)", 'index out of range: 4'],
  ['dyn(null).a', 'no such key: a'],
  ["dyn(1)['a']", 'no such key: a'],
  ['dyn([1]).a', "unsupported index type 'string' in list"],
  ['has(dyn([1]).a)', "unsupported index type 'string' in list"],
  ["'abc'.substring(2, 1)", 'invalid substring range. start: 2, end: 1'],
  ["int(['1111111111111111111111'][0])", "type conversion error from 'string' to 'int'"],
  ["int(['x'][0])", "type conversion error from 'string' to 'int'"],
  ["timestamp(dyn(['x'])[0])", "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
  ["double('NaN') > 1.0", 'NaN values cannot be ordered'],
  ["dyn(1) <= double('NaN')", 'NaN values cannot be ordered'],
  ["[dyn(1), dyn('a')].sort()", 'list elements must have the same type'],
  ["cidr('::/0').containsIP('1.5')", 'no such overload'],
  ["semver('1\"a', true)", String.raw`Invalid character(s) found in major number "1\"a"`],
  [
    String.raw`'%s'.format([b'\xff'])`,
    'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
  ],
];
const refused: [string, string][] = [
  ['1 + "a"', `1:3: found no matching overload for '_+_' applied to '(int, string)'\n | 1 + "a"\n | ..^`],
  ['x', "1:1: undeclared reference to 'x' (in container '')\n | x\n | ^"],
  ["jsonpatch.escapeKey('a')", "1:1: undeclared reference to 'jsonpatch' (in container '')"],
  ['', "1:0: Syntax error: mismatched input '<EOF>' expecting {'["],
  ['.x', "1:2: undeclared reference to '.x' (in container '')\n | .x\n | .^"],
  ['.f()', "1:3: undeclared reference to '.f' (in container '')"],
  ['.F{}', "1:3: undeclared reference to '.F' (in container '')"],
  ['F{a: x}', "1:2: undeclared reference to 'F' (in container '')\n | F{a: x}\n | .^"],
  ['.if', '1:1: reserved identifier: if'],
  ['.true', "1:2: Syntax error: mismatched input 'true' expecting IDENTIFIER"],
  ['../x', "1:2: Syntax error: no viable alternative at input '..'\n | ../x\n | .^"],
  ['. 1', "1:3: Syntax error: no viable alternative at input '. 1'"],
  ['true && 1', "1:9: expected type 'bool' but found 'int'\n | true && 1\n | ........^"],
  ['[1].all(x, x)', "1:12: expected type 'bool' but found 'int'\n | [1].all(x, x)\n | ...........^"],
  ['[1].all(__result__, true)', '1:9: iteration variable overwrites accumulator variable'],
  ["'a'.size(1)", "1:9: found no matching overload for 'size' applied to 'string.(int)'\n | 'a'.size(1)\n | ........^"],
  ['[1, "a"]', `1:5: expected type 'int' but found 'string'\n | [1, "a"]\n | ....^`],
  ['object.', "1:8: Syntax error: no viable alternative at input '.'\n | object.\n | .......^"],
  ['1.all(x, x)', "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)"],
  [
    "'%d'.format(['a'])",
    '1:14: error during formatting: decimal clause can only be used on integers, was given string',
  ],
  ["'%s'.format(['a', 'b'])", '1:12: too many arguments supplied to string.format (expected 1, got 2)'],
  ["'%z'.format(['a'])", '1:12: could not parse formatting clause: unrecognized formatting clause "z"'],
  ['timestamp(-62135596801)', '1:11: invalid timestamp argument'],
  ['{}.true', "1:4: Syntax error: mismatched input 'true' expecting IDENTIFIER"],
  ['(1', "1:3: Syntax error: missing ')' at '<EOF>'"],
  ['1)', "1:2: Syntax error: extraneous input ')' expecting <EOF>"],
  ['1 and 2', "1:3: Syntax error: mismatched input 'and' expecting <EOF>"],
  ['1 = 1', "1:3: Syntax error: token recognition error at: '= '"],
  ['1 ==== 1', "1:5: Syntax error: extraneous input '==' expecting {'['"],
  ['[1', "1:3: Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
  [String.raw`'\d'`, String.raw`1:1: Syntax error: token recognition error at: ''\d'`],
  ['[1].map(1, 2)', '1:9: argument is not an identifier'],
  ['1e999 > 0.0', '1:1: invalid double literal'],
  ['(1 # 2', "1:4: Syntax error: token recognition error at: '#'"],
  ['[1 2, 3]', "1:4: Syntax error: extraneous input '2' expecting {']', ','}"],
  [
    '{{1}}',
    "1:4: Syntax error: mismatched input '}' expecting ':'\n | {{1}}\n | ...^\nERROR: <input>:1:5: Syntax error",
  ],
  ['f(1, g(2 3), 4', "1:10: Syntax error: extraneous input '3' expecting ')'"],
  ['has(a b.c)', '1:5: invalid argument to has() macro\n | has(a b.c)\n | ....^\nERROR: <input>:1:7: Syntax error'],
  ['a.?', "1:4: Syntax error: mismatched input '<EOF>' expecting {IDENTIFIER, ESC_IDENTIFIER}"],
  ['!', "1:2: Syntax error: extraneous input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true'"],
  ['-!true', "1:2: Syntax error: no viable alternative at input '-!'"],
  ['--', "1:3: Syntax error: no viable alternative at input '-'"],
  ['F{1: 2}', "1:3: Syntax error: mismatched input '1' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"],
  ['a ? b', "1:6: Syntax error: mismatched input '<EOF>' expecting ':'"],
  ["1 + 'a\n'", "1:5: Syntax error: token recognition error at: ''a\n'"],
  ['a.`b', "1:3: Syntax error: token recognition error at: '`b'"],
  [String.raw`1"\x41`, String.raw`1:2: Syntax error: token recognition error at: '"\x41'`],
  ["1 + [x, 'a']", "1:3: found no matching overload for '_+_' applied to '(int, list(string))'"],
  ["url('/a').b", "1:10: unexpected failed resolution of 'kubernetes.URL'"],
  ["ip('::1').b", "1:10: type 'net.IP' does not support field selection"],
  ['has(1)', '1:5: invalid argument to has() macro\n | has(1)\n | ....^'],
];

describe('CEL expressions', () => {
  for (const source of holds) it(source, () => assert.equal(evaluate(source), true));
  for (const [source, message] of yields) it(`${source} fails`, () => assert.equal(evaluate(source), message));
  for (const [source, message] of refused)
    it(`${source} does not compile`, () => {
      assert.throws(
        () => evaluate(source),
        (error) => error instanceof CompileError && error.message.startsWith(`ERROR: <input>:${message}`),
      );
    });
  it('omit a long line from errors', () => {
    const name = 'x'.repeat(16385);
    assert.throws(() => evaluate(name), {
      message: `ERROR: <input>:1:1: undeclared reference to '${name}' (in container '')`,
    });
  });
  it('have a maximal length in code points', () => {
    const text = (length: number) => `'${'\u{1f600}'.repeat(length - 6)}'!=''`;
    assert.equal(evaluate(text(100_000)), true);
    assert.throws(() => evaluate(text(100_001)), {
      message: 'ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000',
    });
  });
  it('are parsed with a bounded number of recoveries', () => {
    const wrong = (tokens: number) => `(1${' x'.repeat(tokens)}`;
    const limit = 'ERROR: <input>:-1:0: error recovery token lookahead limit exceeded: 256\n';
    const problem = `ERROR: <input>:1:4: Syntax error: mismatched input 'x' expecting ')'`;
    assert.throws(
      () => evaluate(wrong(256)),
      (error: Error) => error.message.startsWith(problem),
    );
    assert.throws(
      () => evaluate(wrong(257)),
      (error: Error) => error.message.startsWith(limit + problem),
    );
  });
  it('are refused with constants that cannot be converted', () => {
    assert.throws(
      () => evaluate("int('x') == 1"),
      /^InstantiationError: type conversion error from 'string' to 'int'$/,
    );
  });
  it('have the costs of cel-go', () => {
    const costs: [string, number][] = [
      ["1 in [1, 2] && type(1) == int && duration('1h') > duration('1m')", 2],
      ['[3, 1].sort() == [1, 3] || lists.range(4).size() == 4', 20],
      ["sets.contains([1, 2], [1]) && 'a'.matches('a')", 4],
    ];
    for (const [source, cost] of costs)
      assert.equal(program(check(source, parse(source), new Map()))(new Map(), 1_000_000).cost, cost, source);
  });
  it('stop at the cost limit', () => {
    const source = '[1, 2, 3].all(x, [1, 2, 3].all(y, x * y > 0))';
    const run = program(check(source, parse(source), new Map()));
    assert.equal(run(new Map(), 20).error?.message, 'operation cancelled: actual cost limit exceeded');
  });
});
