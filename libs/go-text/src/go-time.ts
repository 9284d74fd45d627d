/** A time text that Go's time.Parse refuses; the message is Go's. */
export class GoTimeError extends Error {
  override readonly name = 'GoTimeError';
}

const rfc3339Layout = '2006-01-02T15:04:05Z07:00';
const rfc3339MicroLayout = '2006-01-02T15:04:05.000000Z07:00';
const utf8 = new TextEncoder();

const quoted = /[^ !#-[\]-~\x7f]+/gu;
const bytesQuoted = (text: string): string => {
  let escaped = '';
  for (const byte of utf8.encode(text))
    escaped +=
      byte === 0x22 || byte === 0x5c ? `\\${String.fromCharCode(byte)}` : `\\x${byte.toString(16).padStart(2, '0')}`;
  return escaped;
};

/** Longer text is truncated, because a message quotes the text three times. */
const longestQuote = 1024;

/** Go's package time has a separate quoting function: bytes beyond printable ASCII as hex. */
const timeQuote = (text: string): string => `"${text.slice(0, longestQuote).replace(quoted, bytesQuoted)}"`;

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
};
const pad = (value: number, width: number): string => value.toString().padStart(width, '0');

/** Parses one RFC 3339 text from left to right. It fails at the same position and with the same message as time.Parse. */
class Reader {
  #rest: string;
  readonly #whole: string;
  readonly #layout: string;

  constructor(text: string, layout: string) {
    this.#whole = text;
    this.#rest = text;
    this.#layout = layout;
  }

  get atEnd(): boolean {
    return this.#rest === '';
  }

  bad(element: string, rest = this.#rest): never {
    const what = `parsing time ${timeQuote(this.#whole)} as ${timeQuote(this.#layout)}`;
    throw new GoTimeError(`${what}: cannot parse ${timeQuote(rest)} as ${timeQuote(element)}`);
  }

  fail(message: string): never {
    throw new GoTimeError(`parsing time ${timeQuote(this.#whole)}: ${message}`);
  }

  literal(text: string): void {
    if (!this.#rest.startsWith(text)) this.bad(text);
    this.#rest = this.#rest.slice(text.length);
  }

  number(element: string, width: number, oneDigitAllowed = false): number {
    const start = this.#rest;
    let length = width;
    if (oneDigitAllowed && isDigit(start, 0) && !isDigit(start, 1)) length = 1;
    for (let i = 0; i < length; i++) if (!isDigit(start, i)) this.bad(element);
    this.#rest = start.slice(length);
    return Number(start.slice(0, length));
  }

  inRange(value: number, from: number, to: number, what: string): number {
    if (value < from || value > to) this.fail(`${what} out of range`);
    return value;
  }

  /** The fraction after the seconds, in nanoseconds. time.Parse accepts it although the layout has none. */
  optionalFraction(): number {
    const match = /^[.,](\d+)/.exec(this.#rest);
    if (match === null) return 0;
    this.#rest = this.#rest.slice(match[0].length);
    return Number((match[1] ?? '').slice(0, 9).padEnd(9, '0'));
  }

  microseconds(): number {
    const match = /^[.,](\d{6})/.exec(this.#rest);
    if (match === null) return this.bad('.000000');
    this.#rest = this.#rest.slice(7);
    return Number(match[1]) * 1000;
  }

  /** Offset from UTC in minutes. */
  zone(): number {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const match = /^([+-])(\d\d):(\d\d)/.exec(this.#rest);
    if (match === null) return this.bad('Z07:00');
    const hours = this.inRange(Number(match[2]), 0, 24, 'time zone offset hour');
    const minutes = this.inRange(Number(match[3]), 0, 60, 'time zone offset minute');
    this.#rest = this.#rest.slice(6);
    return (match[1] === '-' ? -1 : 1) * (hours * 60 + minutes);
  }

  end(): void {
    if (!this.atEnd) this.fail(`extra text: ${timeQuote(this.#rest)}`);
  }
}

const daysIn = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

function utc(year: number, month: number, day: number, minutes: number, seconds: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(0, minutes, seconds, 0);
  return date;
}

const dateTime = (date: Date): string =>
  `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}T` +
  `${pad(date.getUTCHours(), 2)}:${pad(date.getUTCMinutes(), 2)}:${pad(date.getUTCSeconds(), 2)}`;

const zeroTime = '0001-01-01T00:00:00';
const alreadyNormal = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

function parse(text: string, layout: string): { text: string; nanoseconds: number } {
  const reader = new Reader(text, layout);
  const year = reader.number('2006', 4);
  reader.literal('-');
  const month = reader.inRange(reader.number('01', 2), 1, 12, 'month');
  reader.literal('-');
  const day = reader.number('02', 2);
  reader.literal('T');
  const hour = reader.inRange(reader.number('15', 2, true), 0, 23, 'hour');
  reader.literal(':');
  const minute = reader.inRange(reader.number('04', 2), 0, 59, 'minute');
  reader.literal(':');
  const second = reader.inRange(reader.number('05', 2), 0, 59, 'second');
  const nanoseconds = layout === rfc3339MicroLayout ? reader.microseconds() : reader.optionalFraction();
  const offset = reader.zone();
  reader.end();
  reader.inRange(day, 1, daysIn(year, month), 'day');
  return { text: dateTime(utc(year, month, day, hour * 60 + minute - offset, second)), nanoseconds };
}

/**
 * meta/v1 Time: RFC 3339 in UTC with whole seconds; null for Go's zero time. Throws GoTimeError.
 * https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#Time
 */
export function normalizeTime(text: string): string | null {
  if (alreadyNormal.test(text)) return text;
  const time = parse(text, rfc3339Layout);
  return time.text === zeroTime && time.nanoseconds === 0 ? null : `${time.text}Z`;
}

/** meta/v1 MicroTime: as Time, with exactly six digits of a fraction. Throws GoTimeError. */
export function normalizeMicroTime(text: string): string | null {
  const time = parse(text, rfc3339MicroLayout);
  if (time.text === zeroTime && time.nanoseconds === 0) return null;
  return `${time.text}.${pad(Math.trunc(time.nanoseconds / 1000), 6)}Z`;
}

/** An instant as meta/v1 Time writes it: RFC 3339 in UTC, whole seconds. */
export const formatTime = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

/** An instant as Go prints a time.Time in UTC, whole seconds: `2006-01-02 15:04:05 +0000 UTC`. The seconds alone if a Date cannot hold it. */
export function formatGoTime(seconds: number): string {
  const date = new Date(Math.floor(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return String(seconds);
  const [day = '', time = ''] = date.toISOString().split('T');
  return `${day.replace(/^\+0*/, '')} ${time.slice(0, 8)} +0000 UTC`;
}

/** An instant as meta/v1 MicroTime writes it: six fractional digits, of which a Date has three. */
export const formatMicroTime = (date: Date): string => `${date.toISOString().slice(0, 23)}000Z`;

/** RFC 3339 with a `T`, a zone, and any fraction; ranges are checked by parseTime. */
const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** Parses an RFC 3339 text to microseconds since 1970. Returns undefined when the text is invalid or the date does not exist. */
export function parseTime(text: string): bigint | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  const wall = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const milliseconds = Date.parse(`${wall}.000${zone}`);
  const local = Date.parse(`${wall}.000Z`);
  if (Number.isNaN(milliseconds) || Number.isNaN(local) || !new Date(local).toISOString().startsWith(wall))
    return undefined;
  return BigInt(milliseconds) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

/** Whether two times are the same instant; absent, null and empty all mean the zero time. */
export function sameInstant(a: string | null | undefined, b: string | null | undefined): boolean {
  if ((a ?? '') === (b ?? '')) return true;
  const left = parseTime(a ?? '');
  return left !== undefined && left === parseTime(b ?? '');
}
