import assert from 'node:assert/strict';
import fc from 'fast-check';
import { labelSelectorFromObject, parseLabelSelector, printLabelSelector } from './label-selector.ts';
import { assertLinear } from './linear.fixture.ts';
import { SelectorError } from './selector-error.ts';

const messageOf = (text: string): string => {
  try {
    return `parsed as ${parseLabelSelector(text).toString()}`;
  } catch (error) {
    assert(error instanceof SelectorError);
    return error.message;
  }
};

describe('parseLabelSelector', () => {
  for (const [text, message] of [
    ['a=b,c!=d', 'parsed as a=b,c!=d'],
    ['z,!y, x in (b,a) ,w notin(c)', 'parsed as w notin (c),x in (a,b),!y,z'],
    ['a>1,b<2,c==3', 'parsed as a>1,b<2,c==3'],
    ['in in (in,notin)', 'parsed as in in (in,notin)'],
    ['a in (),b in (,x)', 'parsed as a in (),b in (,x)'],
    ['a=,b=', 'parsed as a=,b='],
    ['a=!b', "unable to parse requirement: found '!', expected: identifier"],
    ['a==<b', "unable to parse requirement: found '<', expected: identifier"],
    ['a!!b', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a,', "found '', expected: identifier after ','"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['(a)', "found '(', expected: !, identifier, or 'end of string'"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    [
      'a>b',
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      `a=${'b'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'b'.repeat(64)}": must be no more than 63 bytes`,
    ],
  ] as const) {
    it(`parses ${text.slice(0, 30)}`, () => assert.equal(messageOf(text), message));
  }

  it('matches', () => {
    const labels = { app: 'web', size: '10' };
    for (const [text, expected] of [
      ['', true],
      ['app=web', true],
      ['app!=web', false],
      ['none!=x', true],
      ['none=', false],
      ['app in (db,web)', true],
      ['app notin (db)', true],
      ['none notin (x)', true],
      ['app', true],
      ['!app', false],
      ['!none', true],
      ['size>9', true],
      ['size<9', false],
      ['app>1', false],
      ['constructor', false],
    ] as const) {
      assert.equal(parseLabelSelector(text).matches(labels), expected, text);
    }
    assert.equal(parseLabelSelector('!a').matches(undefined), true);
  });

  it('round-trips', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
    const term = fc.oneof(
      word,
      word.map((key) => `!${key}`),
      fc.tuple(word, fc.constantFrom('=', '==', '!='), word).map((parts) => parts.join('')),
      fc
        .tuple(word, fc.constantFrom('in', 'notin'), fc.array(word, { minLength: 1 }))
        .map(([k, o, v]) => `${k} ${o} (${v.join(',')})`),
    );
    fc.assert(
      fc.property(fc.array(term), (terms) => {
        const selector = parseLabelSelector(terms.join(','));
        assert.deepEqual(parseLabelSelector(selector.toString()), selector);
      }),
    );
  });
});

describe('labelSelectorFromObject', () => {
  it('selects nothing when absent and everything when empty', () => {
    assert.equal(labelSelectorFromObject(undefined).matches({}), false);
    assert.equal(labelSelectorFromObject({}).matches({ a: 'b' }), true);
  });
  it('reads matchLabels and matchExpressions', () => {
    const selector = labelSelectorFromObject({
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['y', 'x'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    });
    assert.equal(selector.toString(), 'a in (x,y),b=1,!c');
    assert.throws(
      () => labelSelectorFromObject({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }),
      /"Gt" is not a valid label selector operator/,
    );
  });
  it('has a bounded number of requirements', () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => `!k${i}`).join(',');
    assert.equal(parseLabelSelector(many(1000)).requirements.length, 1000);
    assert.throws(() => parseLabelSelector(many(1002)), SelectorError);
    const values = Array.from({ length: 10_000 }, (_, i) => `v${i}`);
    const selector = parseLabelSelector(`a in (${values.join(',')}),b notin (${values.join(',')})`);
    assert(selector.matches({ a: 'v9999', b: 'v10000' }));
    assert(!selector.matches({ a: 'v10000' }));
    assert(!selector.matches({ a: 'v1', b: 'v1' }));
    assert.throws(() => parseLabelSelector(`a > ${'9'.repeat(500_000)}`), SelectorError);
  });
});

describe('printLabelSelector', () => {
  it('prints a selector as Go does, sorted', () =>
    assert.equal(
      printLabelSelector({
        matchLabels: { b: '2', a: '1' },
        matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }],
      }),
      '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
    ));
});

describe('long label selectors', () => {
  it('are refused at the first excess requirement or value', () => {
    const tooMany = { 'k=v,': 1000, '!k,': 1000 };
    for (const [term, most] of Object.entries(tooMany)) {
      assert.match(messageOf(`${term.repeat(most - 1)}k`), /^parsed/);
      assert.match(messageOf(`${term.repeat(most + 2)}(((`), /no more than 1000 requirements/);
    }
    assert.match(messageOf(`a in (${'b,'.repeat(50_002)}(((`), /no more than 50000/);
    assert.match(messageOf(`a in (${','.repeat(100_002)}(((`), /no more than 50000/);
  });

  it('are read in linear time', () => {
    for (const text of ['a,', '!', ' ', '=', 'a in (b),', 'a in (', ',', 'in '])
      assertLinear(
        (n) => text.repeat(n),
        (long) => void messageOf(long),
        100_000,
      );
  });
});
