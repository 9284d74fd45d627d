import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseDocument, stringify } from 'yaml';
import { stringifyJson } from '../stringify-json.ts';
import { assertLinear, outcome } from '../linear.fixture.ts';
import { parseYaml, parseYamlInSlices, parseYamlStrict, YamlError } from '../yaml.ts';
import { readYaml } from './reader.ts';

const lines = (n: number, text: (i: number) => string) => Array.from({ length: n }, (_, i) => text(i)).join('\n');
const commas = (n: number, text: (i: number) => string) => Array.from({ length: n }, (_, i) => text(i)).join(',');

describe('the reader of YAML', () => {
  const shapes: Readonly<Record<string, (n: number) => string>> = {
    keys: (n) => lines(n, (i) => `k${i}: v`),
    'keys in braces': (n) => `{${commas(n, (i) => `k${i}: v`)}}`,
    'pairs in brackets': (n) => `[${commas(n, () => 'a: b')}]`,
    'numbers in brackets': (n) => `[${commas(n, () => '1')}]`,
    'brackets that stay open': (n) => `a: ${'['.repeat(n)}`,
    'braces that stay open': (n) => '{a: '.repeat(n),
    'brackets that might be keys': (n) => lines(n / 100, () => `- ${'['.repeat(400)}${']'.repeat(400)}`),
    'dashes on a line': (n) => `a:\n${'- '.repeat(n)}\n`,
    'dashes on lines': (n) => '-\n'.repeat(n),
    'question marks': (n) => '? '.repeat(n),
    'question marks on lines': (n) => '?\n'.repeat(n),
    colons: (n) => `a:\n${' :\n'.repeat(n)}`,
    'blocks in blocks': (n) => lines(Math.sqrt(n * 8), (i) => `${' '.repeat(i)}a:`),
    'words that are no keys': (n) => lines(n, (i) => `a${i}`),
    anchors: (n) => lines(n, (i) => `- &a${i} x`),
    'anchors of nothing': (n) => `${'&a '.repeat(n)}x`,
    aliases: (n) => `x: &x a\ny: [${commas(n, () => '*x,b')}]`,
    merges: (n) => `a: &a {b: c}\n${lines(n, (i) => `k${i}: {<<: *a}`)}`,
    'merges of one another': (n) => `a0: &a0 {}\n${lines(n, (i) => `a${i + 1}: &a${i + 1} {<<: *a${i}, k${i}: v}`)}`,
    'merges from lists': (n) => `a: &a {b: c}\nx: {<<: [${commas(n, () => '*a')}]}`,
    'repeated keys': (n) => lines(n, () => 'a: b'),
    comments: (n) => `a: b\n${'# c\n'.repeat(n)}c: d`,
    'empty lines': (n) => `a: b\n${'\n'.repeat(n * 8)}  c`,
    blanks: (n) => `a: b${' '.repeat(n * 8)}#`,
    'lines of plain text': (n) => `a: b\n${' x\n'.repeat(n)}`,
    'lines of quoted text': (n) => `a: "${'b\n \n'.repeat(n)}"`,
    escapes: (n) => `a: "${'\\x41\\\n'.repeat(n)}"`,
    'quotes in quotes': (n) => `a: '${"''".repeat(n)}'`,
    'a literal block': (n) => `a: |\n${'  x\n'.repeat(n)}`,
    'a folded block': (n) => `a: >\n${'  x\n\n'.repeat(n)}`,
    'a block of empty lines': (n) => `a: |+\n${'\n'.repeat(n * 4)}`,
    digits: (n) => `a: ${'9'.repeat(n * 8)}`,
    'digits and underscores': (n) => `a: ${'1_'.repeat(n)}`,
    'sexagesimal digits': (n) => `a: 1${':1'.repeat(n)}`,
    tags: (n) => lines(n, () => '- !!str x'),
    'a long tag': (n) => `${'!'.repeat(n * 8)}`,
    'escapes in a tag': (n) => `!<${'%41'.repeat(n)}> x`,
    directives: (n) => `${lines(n, (i) => `%TAG !a${i}! b`)}\n---\na`,
    documents: (n) => '---\n'.repeat(n),
    base64: (n) => `a: !!binary ${'QUFB'.repeat(n)}`,
  };
  for (const [name, text] of Object.entries(shapes)) {
    it(`takes time in proportion to the text: ${name}`, () => {
      assertLinear(text, (given) => void outcome(() => readYaml(given)), 4_000);
    });
  }

  it('refuses excessive expansion of aliases', () => {
    const text = `x: &x "${'a'.repeat(100_000)}"\ny: [${commas(1000, () => '*x,b')}]`;
    assert.throws(() => parseYaml(text), { message: 'yaml: document contains excessive aliasing' });
    assert.throws(() => parseYaml('a: &a {<<: *a}'), { message: "yaml: anchor 'a' value contains itself" });
  });

  it('reads documents up to the depth limit of Go', () => {
    for (const text of ['['.repeat(10_001), '- '.repeat(10_002), '{a: '.repeat(10_001)])
      assert.throws(() => parseYaml(text), { message: 'yaml: exceeded max depth of 10000' });
    parseYaml('['.repeat(10_000) + ']'.repeat(10_000));
  });

  it('reads what another library writes, in any of its styles', () => {
    const options = fc.record({
      collectionStyle: fc.constantFrom('any' as const, 'block' as const, 'flow' as const),
      defaultStringType: fc.constantFrom(
        'PLAIN' as const,
        'QUOTE_DOUBLE' as const,
        'QUOTE_SINGLE' as const,
        'BLOCK_FOLDED' as const,
      ),
      indent: fc.integer({ min: 1, max: 5 }),
      lineWidth: fc.constantFrom(0, 20, 80),
    });
    const words = fc.array(fc.constantFrom('a', ' ', '\n', '#', '-', "'", '"', '\u00e9', '1', 'yes'), {
      maxLength: 10,
    });
    const scalars = fc.oneof(
      words.map((parts) => parts.join('')),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalars,
        fc.array(tie('value')),
        fc.dictionary(fc.constantFrom('a', 'b c', 'd-e', '-', ''), tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, options, (given, style) => {
        const text = stringify({ k: given }, { ...style, version: '1.1' });
        const json = stringifyJson({ k: given });
        const document = parseDocument(text, { version: '1.1' });
        // The library does not read back some of its own texts correctly.
        fc.pre(document.errors.length === 0 && stringifyJson(document.toJS()) === json);
        // The library indents text below a dash less than Go's scanner requires, and leaves white space in the indentation.
        fc.pre(!/[|>](?:\d|[+-]?\n\s*\n)/.test(text));
        assert.equal(stringifyJson(parseYaml(text)), json, text);
      }),
      { numRuns: 500 },
    );
  });

  it('reads the same in slices as in one step', async () => {
    const tokens = 'a|1|: |:|\n|\n  |- |? |[|]|{|}|, |"x"|# c|&x |*x|<<|!!str |---\n|>-\n|~'.split('|');
    const either = async (read: () => unknown) => {
      try {
        return stringifyJson(await read());
      } catch (error) {
        assert(error instanceof YamlError, String(error));
        return error.message;
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...tokens), { maxLength: 20 }), async (parts) => {
        const text = parts.join('');
        assert.equal(await either(() => parseYamlInSlices(text)), await either(() => parseYamlStrict(text)), text);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads up to the end of the first document, and one token further', () => {
    for (const [text, value] of [
      ['a: 1\n---\n]', { a: 1 }],
      ['a: 1\n...\n@', { a: 1 }],
      ['"x" y', 'x'],
      ['- !<tag:yaml.org,2002:str> 1\n- ! 1\n- !!float 1\n- !x 1', ['1', 1, 1, '1']],
      ['%TAG !y! tag:yaml.org,2002:\n---\n!y!str 1', '1'],
      ['[? a, b: c, ? d : e]', [{ a: null }, { b: 'c' }, { d: 'e' }]],
      ['a:\n- b\n-\n- - c\n? d\n: e\n? f\n', { a: ['b', null, ['c']], d: 'e', f: null }],
      ["'a\n\n  b'", 'a\nb'],
      ['"a\\\n  b\\tc"', 'ab\tc'],
      ['a: >\n  b\n  c\n\n   d\n  e\n', { a: 'b c\n\n d\ne\n' }],
      ['a: |2-\n   b\n\n', { a: ' b' }],
    ] as const)
      assert.deepEqual(parseYaml(text), value, text);
  });
});
