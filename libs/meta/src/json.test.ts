import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formerValues } from './document-facts.ts';
import {
  inDocumentOrder,
  JsonNumberError,
  JsonSyntaxError,
  parseJson,
  parseJsonInSlices,
  parseJsonStrict,
} from './json.ts';
import { stringifyJson } from './stringify-json.ts';
import { readJson } from './json-reader/reader.ts';
import { assertLinear, outcome } from './linear.fixture.ts';

const messageOf = (text: string | Buffer): string => {
  try {
    parseJson(text);
  } catch (error) {
    assert(error instanceof JsonSyntaxError);
    return error.message;
  }
  return 'parsed';
};

describe('parseJson', () => {
  for (const [text, message] of [
    ['', 'unexpected end of JSON input'],
    [' ', 'unexpected end of JSON input'],
    ['{"a"', 'unexpected end of JSON input'],
    ['"a', 'unexpected end of JSON input'],
    ['tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['-', "invalid character ' ' in numeric literal"],
    ['"\\', "invalid character ' ' in string escape code"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['\ufeff{}', "invalid character '\u00ef' looking for beginning of value"],
    ['{"a":"\u0001"}', "invalid character '\\x01' in string literal"],
    ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['{"a":-}', "invalid character '}' in numeric literal"],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['['.repeat(10001), "invalid character '[' exceeded max depth"],
  ] as const) {
    it(`reports ${JSON.stringify(text.slice(0, 12))} as Go does`, () => assert.equal(messageOf(text), message));
  }

  it('keeps 64-bit integers and returns larger ones as floats', () => {
    const text = '{"a":9007199254740993,"b":-9223372036854775808,"c":9223372036854775808}';
    assert.deepEqual(parseJson(text), { a: 9007199254740993n, b: -9223372036854775808n, c: 9223372036854775808 });
  });
  it('refuses numbers outside the range of floats', () => {
    assert.throws(() => parseJson('{"a":1e400}'), JsonNumberError);
    assert.throws(() => parseJson('1e400'), /json: cannot unmarshal number 1e400 into Go value of type float64/);
  });
  it('treats __proto__ and constructor as ordinary keys, on both paths', () => {
    for (const extra of ['', ',"n":9007199254740993']) {
      const value = parseJson(`{"__proto__":{"polluted":true},"constructor":1${extra}}`);
      assert(typeof value === 'object' && value !== null);
      assert(Object.hasOwn(value, '__proto__'));
      assert.equal(Reflect.get({}, 'polluted'), undefined);
      assert.equal(Object.getPrototypeOf(value), Object.prototype);
    }
  });
  it('names the byte that Go refuses, also within a character', () => {
    const message = (...bytes: number[]) => {
      try {
        parseJson(Buffer.from(bytes));
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : undefined;
      }
    };
    const beginning = 'looking for beginning of value';
    assert.equal(message(0xff), `invalid character 'ÿ' ${beginning}`);
    assert.equal(message(0x5b, 0x22, 0xfe, 0x22, 0x2c, 0xe9, 0x5d), `invalid character 'é' ${beginning}`);
    assert.equal(message(0xef, 0xbf, 0xbd), `invalid character 'ï' ${beginning}`);
    assert.equal(message(0x22, 0xff, 0x22), undefined);
  });

  it('replaces each byte that is not UTF-8, and lone surrogates', () => {
    assert.equal(parseJson(Buffer.from([0x22, 0xe2, 0x82, 0x22])), '\ufffd\ufffd');
    assert.equal(parseJson('"\\ud800x"'), '\ufffdx');
    assert.equal(parseJson('"\\ud83d\\ude00"'), '\u{1f600}');
  });
  it('has the depth limit of Go', () => {
    assert.doesNotThrow(() => parseJson('['.repeat(10000) + ']'.repeat(10000)));
  });
  it('reads every document the same on both paths', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.deepEqual(readJson(text).value, parseJson(text));
        assert.deepEqual(parseJsonStrict(text).value, parseJson(text));
      }),
    );
  });
  it('accepts what JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,0123.eE+-truefalsn\\u \n') }), (text) => {
        let platform = true;
        try {
          JSON.parse(text);
        } catch {
          platform = false;
        }
        let ours = true;
        try {
          readJson(text);
        } catch (error) {
          ours = error instanceof JsonNumberError;
        }
        assert.equal(ours, platform);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('parseJsonStrict', () => {
  it('reports numbers that fit no float64 instead of refusing them', () => {
    const { value, numberError, facts } = parseJsonStrict('{"a":1e400,"b":-1e999}');
    assert.equal(numberError?.message, 'json: cannot unmarshal number 1e400 into Go value of type float64');
    assert.deepEqual(value, { a: Infinity, b: -Infinity });
    assert.equal(facts?.numberLiterals.get('a'), '1e400');
  });
  it('lists repeated fields by path, in the order met, once each', () => {
    const { value, duplicateFields } = parseJsonStrict(
      '{"metadata":{"labels":{"a":"1","a":"2","a":"3"}},"spec":{"c":[{"x":1,"x":2}]},"spec":{"d":1}}',
    );
    assert.deepEqual(duplicateFields, ['metadata.labels.a', 'spec.c[0].x', 'spec']);
    assert.deepEqual(value, { metadata: { labels: { a: '3' } }, spec: { d: 1 } });
  });
  it('finds repeated keys by their decoded text', () => {
    for (const text of ['{"a\\\\":1,"b":{"a\\\\":2}}', '{"a":"\\":","b":"x\\" : y"}', '{"a":1,"\\u0061":2}']) {
      assert.deepEqual(parseJsonStrict(text).duplicateFields, text.includes('u0061') ? ['a'] : []);
    }
  });
  it('records the spelling of numbers when the value does not determine it', () => {
    const { facts } = parseJsonStrict('{"spec":{"replicas":1.0,"list":[1,2e3]},"n":99999999999999999999}');
    assert.deepEqual(
      [...(facts?.numberLiterals ?? [])],
      [
        ['spec.replicas', '1.0'],
        ['spec.list[1]', '2e3'],
        ['n', '99999999999999999999'],
      ],
    );
  });
});

describe('stringifyJson', () => {
  it('escapes HTML and line separators, and writes numbers as Go does', () => {
    const value = ['<&>\u2028\u2029', 1e21, 1e-7, 1.5, 9007199254740993n, -0];
    assert.equal(stringifyJson(value), '["\\u003c\\u0026\\u003e\\u2028\\u2029",1e+21,1e-7,1.5,9007199254740993,0]');
  });
  it('round-trips', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        assert.equal(stringifyJson(parseJson(stringifyJson(value))), stringifyJson(value)),
      ),
    );
  });
});

const times = (n: number, text: (i: number) => string) => Array.from({ length: n }, (_, i) => text(i)).join(',');

describe('the reader of JSON', () => {
  const shapes: Readonly<Record<string, (n: number) => string | Buffer>> = {
    'one key again and again': (n) => `{${times(n, () => '"a":{}')}}`,
    'many keys twice': (n) => `{${times(n, (i) => `"k${i}":1`)},${times(n, (i) => `"k${i}":1`)}}`,
    'keys like indices': (n) => `{"x":1.0,${times(n, (i) => `"${i * 1048583}":""`)}}`,
    'floats far down': (n) => `${'{"a":'.repeat(9000)}[${times(n, () => '1.0')}]${'}'.repeat(9000)}`,
    'floats below a long key': (n) => `{"${'k'.repeat(n * 8)}":[${times(n, () => '1.0')}]}`,
    'repeated keys below a long one': (n) => `{"${'k'.repeat(n * 8)}":[${times(n, () => '{"a":1,"a":2}')}]}`,
    'lists that never end': (n) => `{"a":[${'1,'.repeat(n)}`,
    'lists in lists': (n) => '['.repeat(n),
    'a number': (n) => `{"a":${'9'.repeat(n)}}`,
    'bytes that are no text': (n) => Buffer.concat([Buffer.from('"'), Buffer.alloc(n, 0x80), Buffer.from('"')]),
    escapes: (n) => `"${'\\u0041'.repeat(n)}\\ud800"`,
    blanks: (n) => `{"a"${' '.repeat(n)}:1.0${' '.repeat(n)}}`,
    'quotes and blanks': (n) => `"${'\\" '.repeat(n)}"`,
  };
  for (const [name, text] of Object.entries(shapes)) {
    it(`takes time in proportion to the text: ${name}`, () => {
      assertLinear(text, (given) => void outcome(() => parseJsonStrict(given)), 8_000);
    });
  }
  it('finds paths in the order of the text in time in proportion to it', () => {
    const below = (n: number) => `{"${'k'.repeat(n * 8)}":[${times(n, (i) => `{"a":${i},"b":1}`)}],"z":1}`;
    const wanted = (text: string) => new Set([`${text.slice(2, text.indexOf('"', 2))}[7].b`, 'z']);
    assertLinear(below, (text) => void inDocumentOrder(text, wanted(text), new Set(['never'])), 8_000);
  });
  it('reads what JSON.parse reads, in one step and in slices', async () => {
    const texts = fc.json({ maxDepth: 6 });
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const expected = stringifyJson(JSON.parse(text));
        assert.equal(stringifyJson(readJson(text).value), expected);
        assert.equal(stringifyJson((await parseJsonInSlices(text)).value), expected);
      }),
    );
  });
  it('refuses what JSON.parse refuses', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'{}[]",:1.e-\\u0 tfn'), maxLength: 12 });
    fc.assert(
      fc.property(texts, (text) => {
        const isRefused = outcome(() => void JSON.parse(text)) !== '';
        assert.equal(outcome(() => readJson(text)) !== '', isRefused, text);
      }),
      { numRuns: 5000 },
    );
  });
  it('records every repeated key with its former value', async () => {
    const member = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer());
    await fc.assert(
      fc.asyncProperty(fc.array(member), async (members) => {
        const text = `{"o":{${members.map(([key, value]) => `"${key}":${value}`).join(',')}}}`;
        for (const parsed of [parseJsonStrict(text), await parseJsonInSlices(text)]) {
          const { o } = parsed.value as { o: Record<string, unknown> };
          const expected = Map.groupBy(members, ([key]) => key);
          for (const [key, values] of expected)
            assert.deepEqual(
              [...formerValues(parsed.facts?.repeats?.within.get('o'), key).map(({ value }) => value), o[key]],
              values.map(([, value]) => value),
            );
          const repeated = [...expected].filter(([, values]) => values.length > 1).map(([key]) => `o.${key}`);
          assert.deepEqual(parsed.duplicateFields.toSorted(), repeated.toSorted());
        }
      }),
    );
  });
  it('reports unknown keys at their first place and repeated keys at the repetition', () => {
    const text = '{"u":1,"a":[{"x":1},{"x":1,"y":2,"x":3}],"u":2,"":{"":1},"b":{"y.z":1}}';
    const found = inDocumentOrder(text, new Set(['b.y.z', 'a[1].y', 'u', '']), new Set(['a[1].x', 'u']));
    assert.deepEqual(
      found.map(({ path, repeated }) => `${repeated ? '2 ' : ''}${path}`),
      ['u', 'a[1].y', '2 a[1].x', '2 u', '', 'b.y.z'],
    );
  });
  it('yields to the event loop while it reads a large document in slices', async () => {
    let turns = 0;
    const turn = setInterval(() => turns++, 1);
    const { value } = await parseJsonInSlices(`[${times(2_000_000, () => '{}')}]`);
    clearInterval(turn);
    assert.equal((value as unknown[]).length, 2_000_000);
    assert(turns > 2, `${turns}`);
  });
  it('reads documents up to the depth limit of Go', () => {
    const deep = (n: number) => '{"a":'.repeat(n) + '1' + '}'.repeat(n);
    assert.equal(parseJsonStrict(deep(10_000)).duplicateFields.length, 0);
    assert.throws(() => parseJsonStrict(deep(10_001)), { message: /exceeded max depth/ });
  });
});
