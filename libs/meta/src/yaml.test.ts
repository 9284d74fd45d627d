import assert from 'node:assert/strict';
import fc from 'fast-check';
import { deepEqual } from './deep.ts';
import { parseJson } from './json.ts';
import { stringifyJson } from './stringify-json.ts';
import { assertLinear } from './linear.fixture.ts';
import { parseYaml, parseYamlStrict, stringifyYaml, YamlError, yamlText } from './yaml.ts';

describe('parseYaml', () => {
  it('resolves plain scalars as goyaml does', () => {
    const text =
      'a: yes\nb: 0777\nc: 1_000\nd: 12:30\ne: 2026-01-01\nf: ~\ng: "yes"\nh: 9007199254740993\ni: !!str 5\n1: x\n';
    assert.deepEqual(parseYaml(text), {
      1: 'x',
      a: true,
      b: 511,
      c: 1000,
      d: '12:30',
      e: '2026-01-01',
      f: null,
      g: 'yes',
      h: 9007199254740993n,
      i: '5',
    });
  });
  it('reads the first document, anchors and merge keys', () => {
    assert.deepEqual(parseYaml('---\na: &x {b: 1}\nc: {<<: *x, d: 2}\n---\n[broken'), {
      a: { b: 1 },
      c: { b: 1, d: 2 },
    });
    assert.equal(parseYaml('# nothing\n'), null);
  });
  it('adds no line break to a block at the end of the text', () => {
    assert.deepEqual(parseYaml('a: |\n b\n c'), { a: 'b\nc' });
    assert.deepEqual(parseYaml('a: >\n b\n c\n'), { a: 'b c\n' });
    assert.deepEqual(parseYaml('a: |+\n b\n \n '), { a: 'b\n\n' });
  });
  it('reads UTF-16 with a byte order mark', () => {
    const text = Buffer.from('\ufeffa: \u00e4\n', 'utf16le');
    assert.deepEqual(parseYaml(text), { a: '\u00e4' });
    assert.deepEqual(parseYaml(Buffer.from(text).swap16()), { a: '\u00e4' });
  });
  it('reads directives of YAML 1.1', () => {
    assert.deepEqual(parseYaml('%YAML 1.1\n---\na: 100%\n'), { a: '100%' });
    assert.deepEqual(parseYaml('a:\n  %b'.replace('%', '')), { a: 'b' });
  });
  for (const [text, message] of [
    ['%YAML 1.2\n---\na: b', 'yaml: found incompatible YAML document'],
    ['# x\n%YAML 2.0\n---\na: b', 'yaml: line 1: found incompatible YAML document'],
    ['%FOO bar\n---\na: b', 'yaml: found unknown directive name'],
    ['a: !!binary "!"', 'yaml: !!binary value contains invalid base64 data'],
    ['a: !!timestamp x', 'yaml: cannot decode !!str `x` as a !!timestamp'],
    ['a: [b\n', "yaml: line 1: did not find expected ',' or ']'"],
    ['a: [\n', 'yaml: line 1: did not find expected node content'],
    ['{', 'yaml: line 1: did not find expected node content'],
    ['x: 1\na: [', 'yaml: line 2: did not find expected node content'],
    ['~: x\n', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "x"'],
    ['[a]: {b: [1, ~]}\n', 'yaml: invalid map key: []interface {}{"a"}'],
    ['a: b: c\n', 'yaml: mapping values are not allowed in this context'],
    ['a: b\n  c: d\n', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a: b\nkey\nother: x\n', "yaml: line 3: could not find expected ':'"],
    ['\tkind: x\n', 'yaml: found character that cannot start any token'],
    ['a: b\n\tc: d\n', 'yaml: line 2: found a tab character that violates indentation'],
    ['a:\n- b: c\n\td: e\n', 'yaml: line 3: found a tab character that violates indentation'],
    ['a:\n  b: http://c:1\n  \n  \td: e\n', 'yaml: line 4: found a tab character that violates indentation'],
    ['a:\n\tb: c\n', 'yaml: line 2: found character that cannot start any token'],
    ['a: "b"\n\tc: d\n', 'yaml: line 2: found character that cannot start any token'],
    ['a: b # c\n\td: e\n', 'yaml: line 2: found character that cannot start any token'],
    ['a: *undefined\n', "yaml: unknown anchor 'undefined' referenced"],
    ['a: &x [*x]\n', "yaml: anchor 'x' value contains itself"],
    ['a: b\nc: "\\ud83d\\ude00"', 'yaml: line 2: found invalid Unicode character escape code'],
    ['{"a":"\\udc00"}', 'yaml: found invalid Unicode character escape code'],
    ['a: "\\U00110000"', 'yaml: found invalid Unicode character escape code'],
    ['a: "\\xg0"', 'yaml: did not find expected hexdecimal number'],
    ['{"a":"\\/"}', 'yaml: found unknown escape character'],
    ['a: !!int x', 'yaml: cannot decode !!str `x` as a !!int'],
    ['a: "\u0001"', 'yaml: control characters are not allowed'],
  ] as const) {
    it(`reports ${message}`, () => assert.throws(() => parseYaml(text), { name: 'YamlError', message }));
  }
  it('reads a backslash before u as an escape only where it is one', () => {
    const text = `{'a': '\\ud800\\/', "b": "\\\\ud800", "c": "\\U0001F600"}`;
    assert.deepEqual(parseYaml(text), { a: '\\ud800\\/', b: '\\ud800', c: '\u{1f600}' });
  });
  it('stops after a document in braces', () => {
    for (const rest of ['{}', '}', '\n{}', '#x', ' a', ',', '\n- x'])
      assert.deepEqual(parseYaml(`{"a":1}${rest}`), { a: 1 });
    for (const rest of ['%', '@', '- x']) assert.throws(() => parseYaml(`{"a":1}${rest}`), YamlError);
    assert.throws(() => parseYaml('{"a":1'), YamlError);
  });
  it('refuses documents with excessive expansion', () => {
    const names = [...'abcdefghi'];
    const levels = names.map((name, i) => {
      const inner = i === 0 ? 'x' : `*${names[i - 1] ?? ''}`;
      return `${name}: &${name} [${Array.from({ length: 9 }, () => inner).join(',')}]`;
    });
    assert.throws(() => parseYaml(levels.join('\n')), { message: 'yaml: document contains excessive aliasing' });
  });
  it('reports repeated keys', () => {
    const { value, duplicateFields } = parseYamlStrict('a: 1\na: 2\nb:\n  1: x\n  1: z\n');
    assert.deepEqual(duplicateFields, ['line 2: key "a" already set in map', 'line 5: key 1 already set in map']);
    assert.deepEqual(value, { a: 2, b: { 1: 'z' } });
  });
  it('reads JSON as YAML', () => {
    // The document begins with a comment, so it is not read as JSON.
    const slowly = (text: string) => {
      try {
        return parseYamlStrict(`#\n${text}`).value;
      } catch (error) {
        return error instanceof YamlError ? 'refused' : error;
      }
    };
    for (const text of [
      '{"a": 1.0}',
      '{"a": 12345678901234567890}',
      '{"a": 9007199254740993}',
      '{"a":\t1}',
      '{"a": -0}',
    ])
      assert.equal(stringifyJson(parseYamlStrict(text).value), stringifyJson(slowly(text)), text);
    assert.deepEqual(parseYamlStrict('{"a": 1, "a": 2}').duplicateFields, ['line 1: key "a" already set in map']);
    const keys = fc.string({ minLength: 1, maxLength: 10, unit: fc.constantFrom(...'abc_.-/ ') });
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue()), (value) => {
        const text = stringifyJson(value);
        const expected = slowly(text);
        fc.pre(expected !== 'refused');
        assert.equal(stringifyJson(parseYamlStrict(text).value), stringifyJson(expected));
      }),
    );
  });
  it('treats __proto__ as an ordinary key', () => {
    parseYaml('__proto__: {polluted: true}');
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
});

describe('stringifyYaml', () => {
  it('lays out as kube-apiserver does', () => {
    const message =
      'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal bool into Go struct field ObjectMeta.name of type string';
    assert.equal(
      stringifyYaml({
        kind: 'Status',
        code: 400,
        apiVersion: 'v1',
        metadata: {},
        message,
        a10: [],
        a9: [{ b: 1, a: [2] }],
      }),
      [
        'a9:',
        '- a:',
        '  - 2',
        '  b: 1',
        'a10: []',
        'apiVersion: v1',
        'code: 400',
        'kind: Status',
        `message: 'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal`,
        "  bool into Go struct field ObjectMeta.name of type string'",
        'metadata: {}',
        '',
      ].join('\n'),
    );
  });
  it('quotes only what would be read as something else', () => {
    assert.equal(
      stringifyYaml(['x', 'yes', '12', '', "it's", 'a: b', '2026-01-01T00:00:00Z', 'x\ny\n', '12:30']),
      `- x\n- "yes"\n- "12"\n- ""\n- it's\n- 'a: b'\n- "2026-01-01T00:00:00Z"\n- |\n  x\n  y\n- "12:30"\n`,
    );
  });
  it('prints floats as Go does', () => {
    const text = (value: unknown) => stringifyYaml(value).trimEnd();
    assert.deepEqual([1e-7, 0.00001, 0.0001, 123456.5, 1234567.5, 1e21, 1e6].map(text), [
      '1e-07',
      '1e-05',
      '0.0001',
      '123456.5',
      '1.2345675e+06',
      '1e+21',
      '1000000',
    ]);
    assert.deepEqual([-9223372036854775808, 18446744073709551616, 9223372036854775808].map(text), [
      '-9.223372036854776e+18',
      '1.8446744073709552e+19',
      '9223372036854776000',
    ]);
  });
  it('refuses characters that YAML does not allow', () => {
    assert.throws(() => stringifyYaml({ a: '\u007f' }), { message: 'yaml: control characters are not allowed' });
    assert.equal(stringifyYaml({ a: '\u0001' }), 'a: "\\x01"\n');
  });
  it('counts a quote that is doubled as two columns where it folds', () => {
    const message =
      "no Widget (it must be one of its own type, and nothing else, here): couldn't get version/kind; json parse error: invalid character '}' after decimal point in literal";
    assert.equal(
      stringifyYaml({ message }),
      "message: 'no Widget (it must be one of its own type, and nothing else, here): couldn''t\n  get version/kind; json parse error: invalid character ''}'' after decimal point\n  in literal'\n",
    );
  });
  it('writes line breaks of Unicode as its source has them, and folds next lines', () => {
    const written = (text: string) => stringifyYaml({ k: text });
    assert.deepEqual(['a \u0085 b', '\u0085', 'a\u0085\u0085b', '<<', '\ufeffb'].map(written), [
      'k: a b\n',
      "k: ' '\n",
      'k: |-\n  a\n  b\n',
      'k: <<\n',
      'k: "\\uFEFF\\x62"\n',
    ]);
    assert.deepEqual(['a\u2028b\n', '\u2029b'].map(written), ['k: |\n  a\u2028  b\n', "k: '\u2029  b'\n"]);
    assert.equal(stringifyYaml({ k: 'a\n\u2028', l: 1 }), 'k: |+\n  a\n\u2028l: 1\n');
  });
  it('quotes a key that would ask for a merge of maps', () => {
    const value = { '<<': 'a', b: '<<' };
    assert.equal(stringifyYaml(value), '"<<": a\nb: <<\n');
    assert.deepEqual(parseYaml(stringifyYaml(value)), value);
  });
  it('round-trips', () => {
    const values = fc.jsonValue();
    fc.assert(
      fc.property(values, (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        assert(deepEqual(parseYaml(stringifyYaml(plain)), parseJson(stringifyJson(plain))));
      }),
      { numRuns: 500 },
    );
    const words = fc.array(fc.constantFrom('a', ' ', '\n', ': ', '#', "'", '"', '-', 'wordwordword ', '\u00e9', '\t'), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(words, (parts) =>
        assert.deepEqual(parseYaml(stringifyYaml({ k: [parts.join('')] })), { k: [parts.join('')] }),
      ),
      { numRuns: 1000 },
    );
  });
  it('reads documents in braces as far as Go does, and finds there what Go finds', () => {
    const outcome = (text: string): unknown => {
      try {
        return parseYaml(text);
      } catch (error) {
        return (error as Error).message.replace(/^yaml: /, '');
      }
    };
    const node = 'did not find expected node content';
    const cases: readonly (readonly [string, unknown])[] = [
      ['{"a":{"b":"x"}}{"c":1}', { a: { b: 'x' } }],
      ['{a: 1}\nb: 2', { a: 1 }],
      ['{"a":1}}', { a: 1 }],
      ['{"a":"b', 'found unexpected end of stream'],
      ['{"a":1}\n"x', 'line 2: found unexpected end of stream'],
      ['{"a":{"b":"c"', "line 1: did not find expected ',' or '}'"],
      ['{"a"::"v1"}', node],
      ['{a: [:]}', node],
      ['{"a":1,,}', node],
      ['{"a":{"b"{"c":1}}}', "did not find expected ',' or '}'"],
      ['{"a":["b" c]}', "did not find expected ',' or ']'"],
      ['{"a"\n:1}', "line 1: did not find expected ',' or '}'"],
      ['{"a":1}@', 'found character that cannot start any token'],
      ['{"a":1}-', 'block sequence entries are not allowed in this context'],
      ['{"a":1}?', 'mapping keys are not allowed in this context'],
      ['{"a":1}&', 'did not find expected alphabetic or numeric character'],
      ['{"a":1}"\\q"', 'found unknown escape character'],
      ['{"a":1}\n%x', 'line 2: found unknown directive name'],
      ['{b: 1, a: 2}: 3', 'invalid map key: map[interface {}]interface {}{"a":2, "b":1}'],
    ];
    for (const [text, expected] of cases) assert.deepEqual(outcome(text), expected, text);
  });
  it('throws nothing but YamlError on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'a:-[]{},#&*!|>\'"%@`\n \t0?') }), (text) => {
        try {
          parseYaml(text);
        } catch (error) {
          assert(error instanceof YamlError, String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('yamlText', () => {
  it('writes wide, long and deep values in steps', () => {
    const count = 10_000;
    let deep: unknown = {};
    for (let i = 0; i < count; i++) deep = i % 2 === 0 ? [deep] : { a: deep };
    const items = Array.from({ length: count }, (_, i) => i);
    const members = Object.fromEntries(items.map((i) => [`k${i}`, 'v']));
    for (const value of [deep, items, members, items.map((i) => ({ i }))]) {
      const work = yamlText(value);
      let steps = 0;
      let step = work.next();
      for (; step.done !== true; step = work.next()) steps++;
      assert(steps >= count / 100, `${steps} steps`);
      assert.equal(step.value, stringifyYaml(value));
    }
  });

  it('folds long texts in linear time', () => {
    for (const text of ['ab cd ', 'ab  cd ', '\u2028 a', '\u00e9 \u{1f600} ', '"\x01 ', "it's "])
      assertLinear(
        (n) => text.repeat(n),
        (long) => void stringifyYaml({ a: long }),
        20_000,
      );
  });
});
