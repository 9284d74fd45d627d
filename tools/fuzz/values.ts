import type { Random } from './random.ts';

/** Texts that have broken parsers before, and a few harmless ones. */
const texts = [
  '',
  ' ',
  'a',
  'A',
  '-',
  '..',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '\u007f',
  '\ud800',
  '\u{1f4a9}',
  '\u202e',
  '\ufeff',
  '%s%n',
  '${x}',
  '\'"`',
  '{{.}}',
  'null',
  'true',
  'NaN',
  '1e400',
  '0x10',
  '2001-02-30T25:61:61Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '-1h',
  '1.5Gi',
  '1e1000000',
  '100000000000000000000000000Ei',
  '[::ffff:1.2.3.4]',
  '999.999.999.999',
  '10.0.0.0/33',
  'x'.repeat(254),
  'é'.repeat(300),
  'a.'.repeat(200),
  '('.repeat(500),
] as const;

/** JSON texts of numbers, some of which JSON.stringify cannot produce. */
const numbers = [
  '0',
  '-0',
  '1',
  '-1',
  '1.0',
  '1e3',
  '0.1',
  '2147483648',
  '-2147483649',
  '4294967296',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
  '1e308',
  '1e400',
  '-1e400',
  '1e-400',
  '1'.repeat(400),
  `0.${'1'.repeat(400)}`,
] as const;

export const hostileText = (random: Random): string => random.pick(texts);

/** A random JSON value as text, usually small. */
export function hostileJson(random: Random): string {
  switch (random.below(12)) {
    case 0:
      return 'null';
    case 1:
      return random.chance(0.5) ? 'true' : 'false';
    case 2:
    case 3:
      return random.pick(numbers);
    case 4:
      return '[]';
    case 5:
      return '{}';
    case 6:
      return nested(random, random.pick([10, 200, 5_000, 20_000]));
    case 7:
      return wide(random.pick([100, 100_000]));
    case 8:
      return '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    case 9:
      return `[${random.pick(numbers)},${JSON.stringify(hostileText(random))},null,{}]`;
    default:
      return JSON.stringify(hostileText(random));
  }
}

function nested(random: Random, depth: number): string {
  if (random.chance(0.5)) return '['.repeat(depth) + ']'.repeat(depth);
  return '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
}

const wide = (keys: number): string => `{${Array.from({ length: keys }, (_, i) => `"k${i}":"v"`).join(',')}}`;
