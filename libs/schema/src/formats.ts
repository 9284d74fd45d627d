import { isIP } from 'node:net';
import { DurationError, maxDurationLength, isRequestUri, parseDuration } from '@apichain/go-text';
import { isDNS1123Label, isDNS1123Subdomain } from '@apichain/meta';

type FormatCheck = (text: string) => boolean;

const uuid = (digits: string): FormatCheck => {
  const pattern = new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${digits}-?[0-9a-f]{12}$`, 'i');
  return (text) => pattern.test(text);
};
const matches =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text);

/** String formats by name without dashes, checked like in the OpenAPI format registry of kube-openapi. */
const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', matches(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUri],
  ['email', (text) => isEmail(text)],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && isIpSloppy(text)],
  ['ipv6', (text) => text.includes(':') && isIpSloppy(text)],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', uuid('[0-9a-f]{4}-?[0-9a-f]{4}')],
  ['uuid3', uuid('3[0-9a-f]{3}-?[0-9a-f]{4}')],
  ['uuid4', uuid('4[0-9a-f]{3}-?[89ab][0-9a-f]{3}')],
  ['uuid5', uuid('5[0-9a-f]{3}-?[89ab][0-9a-f]{3}')],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matches(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  [
    'rgbcolor',
    matches(
      /^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/,
    ),
  ],
  ['byte', matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$(?!\n)/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => isDNS1123Label(text).length === 0],
  ['k8slongname', (text) => isDNS1123Subdomain(text).length === 0],
]);

const normalized = (format: string) => format.replaceAll('-', '');

/** The check of a string format; undefined for an unknown format, which is ignored. */
export const stringFormat = (format: string): FormatCheck | undefined => checks.get(normalized(format));

/** Whether a format is recognized for this type ('' = no type). https://github.com/kubernetes/kube-openapi strfmt */
export function isRecognizedFormat(type: string, format: string): boolean {
  if (type === '' || type === 'string') return checks.has(normalized(format));
  if (type === 'integer') return format === 'int32' || format === 'int64';
  if (type === 'number') return format === 'float' || format === 'double';
  return false;
}

/** The expression is unambiguous: no text matches in two ways. So matching is linear in the length of the client's text. */
const email = (() => {
  const atext = "A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-";
  const atoms = `[${atext}]+(?:\\.[${atext}]+)*`;
  const address = `(?:${atoms}|"(?:[^"\\\\]|\\\\.)+")@(?:${atoms}|\\[[^\\[\\]\\\\]*\\])`;
  const phrase = `(?:[${atext}.\\s]|"(?:[^"\\\\]|\\\\.)*")*`;
  return new RegExp(`^(?:${address}|${phrase}<\\s*${address}\\s*>)$`);
})();

const isEmail = (text: string): boolean => email.test(text.trim());

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;

function isHostname(text: string): boolean {
  return (
    Buffer.byteLength(text) <= 255 &&
    text.split('.').every((part) => Buffer.byteLength(part) <= 63) &&
    hostname.test(text)
  );
}

const longestAddress = 256;

/** An IP address; leading zeros in IPv4 octets are allowed. */
function isIpSloppy(text: string): boolean {
  if (text.length > longestAddress) return false;
  return isIP(text.replaceAll(/(^|[.:])0+((?!0)\d+|0)(?=\.|$)/g, '$1$2')) !== 0 && !text.includes('%');
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  if (more.length > 0 || !isIpSloppy(address) || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (address.includes(':') ? 128 : 32);
}

function isMac(text: string): boolean {
  const groups = (separator: string, digits: number) =>
    text.split(separator).every((g) => g.length === digits && /^[0-9a-fA-F]+$/.test(g))
      ? (text.split(separator).length * digits) / 2
      : 0;
  const lengths = [groups(':', 2), groups('-', 2), groups('.', 4), /^[0-9a-fA-F]+$/.test(text) ? text.length / 2 : 0];
  return lengths.some((bytes) => bytes === 6 || bytes === 8 || bytes === 20);
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = [...digits].reduce((total, c, i) => total + (c === 'X' ? 10 : Number(c)) * (i < 9 ? i + 1 : 10), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((total, c, i) => total + Number(c) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

const creditCard =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, '');
  if (!creditCard.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, c, i) => {
    const doubled = i % 2 === 1 ? Number(c) * 2 : Number(c);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$(?!\n)/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$(?!\n)/.exec(time);
  return parts !== null && Number(parts[1]) <= 23 && Number(parts[2]) <= 59 && Number(parts[3]) <= 59;
}

const ms = 1_000_000n;
/** The last name of each unit is a prefix: `min` also matches `minutes`. */
const durationUnits: readonly (readonly [nanoseconds: bigint, names: readonly string[]])[] = [
  [1n, ['ns', 'nano']],
  [1_000n, ['us', 'µs', 'micro']],
  [ms, ['ms', 'milli']],
  [1_000n * ms, ['s', 'sec']],
  [60_000n * ms, ['m', 'min']],
  [3_600_000n * ms, ['h', 'hr', 'hour']],
  [86_400_000n * ms, ['d', 'day']],
  [604_800_000n * ms, ['w', 'wk', 'week']],
];

function goDuration(text: string): bigint | undefined {
  try {
    return parseDuration(text);
  } catch (error) {
    if (error instanceof DurationError) return undefined;
    throw error;
  }
}

/** The nanoseconds of a duration in Go's form (`1h30m`) or Scala's (`2 days`); undefined if the text has neither form or is too long. */
export function durationOfText(text: string): bigint | undefined {
  const inGo = goDuration(text);
  if (inGo !== undefined || text.length > maxDurationLength) return inGo;
  let total: bigint | undefined;
  for (const match of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-z\u00b5]+)/g)) {
    const unit = (match[2] ?? '').toLowerCase();
    for (const [size, names] of durationUnits)
      for (const [i, name] of names.entries())
        if (unit === name || (i === names.length - 1 && unit.startsWith(name)))
          total = (total ?? 0n) + BigInt(match[1] ?? '0') * size;
  }
  return total;
}
function isDuration(text: string): boolean {
  return durationOfText(text) !== undefined;
}
