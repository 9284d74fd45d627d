import { goQuote } from '@apichain/go-text';
import { lookupTable } from '@apichain/meta';
import { asText, asTimestamp, asDuration, member, type Library, type Overload } from '../overload.ts';
import * as types from '../types.ts';
import { EvaluationError, Timestamp, type Value } from '../values.ts';

const second = 1_000_000_000n;
const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Parses an RFC 3339 time; undefined if the text is invalid. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const parts = rfc3339.exec(text);
  if (parts === null) return undefined;
  const n = (i: number) => Number(parts[i] ?? 0);
  const date = new Date(0);
  date.setUTCFullYear(n(1), n(2) - 1, n(3));
  if (date.getUTCMonth() !== n(2) - 1 || date.getUTCDate() !== n(3)) return undefined;
  if (n(4) > 23 || n(5) > 59 || n(6) > 59) return undefined;
  date.setUTCHours(n(4), n(5), n(6));
  if (n(9) > 24 || n(10) > 59) return undefined;
  const offset = (parts[8] === '-' ? -1 : 1) * (n(9) * 60 + n(10));
  const fraction = BigInt((parts[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return new Timestamp((BigInt(date.getTime()) / 1000n - BigInt(offset) * 60n) * second + fraction, offset);
}

export const floorDiv = (a: bigint, b: bigint): bigint => (a % b < 0n ? a / b - 1n : a / b);

/** The time in RFC 3339 with as many decimals as needed, in its original time zone. */
export function formatTimestamp({ ns, offset }: Timestamp): string {
  const local = ns + BigInt(offset) * 60n * second;
  const seconds = floorDiv(local, second);
  const fraction = (local - seconds * second)
    .toString()
    .padStart(9, '0')
    .replace(/(?<!0)0+$/, '');
  const time = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${time}${fraction === '' ? '' : `.${fraction}`}${zoneText(offset)}`;
}
function zoneText(offset: number): string {
  if (offset === 0) return 'Z';
  const two = (n: number) => String(n).padStart(2, '0');
  const size = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The milliseconds to add to UTC to get local time. */
function zoneOffset(zone: string, ms: number): number {
  if (zone === 'UTC' || zone === '') return 0;
  const colon = zone.indexOf(':');
  if (colon >= 0) {
    const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)].map(wholeNumber);
    return ((hours ?? 0) * 60 + (zone.startsWith('-') ? -1 : 1) * (minutes ?? 0)) * 60_000;
  }
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    }).formatToParts(ms);
    const n = (type: string) => Number(parts.find((p) => p.type === type)?.value ?? 0);
    const local = Date.UTC(n('year'), n('month') - 1, n('day'), n('hour'), n('minute'), n('second'));
    return local - Math.floor(ms / 1000) * 1000;
  } catch {
    throw new EvaluationError(`unknown time zone ${zone}`);
  }
}

function wholeNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new EvaluationError(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
  return Number(text);
}

type Reading = (local: Date) => number;
const dayOfYear = (d: Date) =>
  Math.round(
    (Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate()) - Date.UTC(d.getUTCFullYear(), 0, 1)) / 86_400_000,
  );

const readings: Readonly<Record<string, readonly [string, Reading]>> = {
  getFullYear: ['year', (d) => d.getUTCFullYear()],
  getMonth: ['month', (d) => d.getUTCMonth()],
  getDate: ['day_of_month_1_based', (d) => d.getUTCDate()],
  getDayOfMonth: ['day_of_month', (d) => d.getUTCDate() - 1],
  getDayOfWeek: ['day_of_week', (d) => d.getUTCDay()],
  getDayOfYear: ['day_of_year', dayOfYear],
  getHours: ['hours', (d) => d.getUTCHours()],
  getMinutes: ['minutes', (d) => d.getUTCMinutes()],
  getSeconds: ['seconds', (d) => d.getUTCSeconds()],
  getMilliseconds: ['milliseconds', (d) => d.getUTCMilliseconds()],
};

function read(reading: Reading, at: Value | undefined, zone: string): bigint {
  const ms = Number(floorDiv(asTimestamp(at).ns, 1_000_000n));
  return BigInt(reading(new Date(ms + zoneOffset(zone, ms))));
}

/** Accessors of durations return the whole duration in their unit. Only getMilliseconds returns the part below one second. */
const durationUnits: Readonly<Record<string, bigint>> = lookupTable({
  getHours: 3600n * second,
  getMinutes: 60n * second,
  getSeconds: second,
  getMilliseconds: 1_000_000n,
});

function accessors(name: string, [id, reading]: readonly [string, Reading]): Overload[] {
  const overloads = [
    member(`timestamp_to_${id}`, [types.timestamp], types.int, (t) => read(reading, t, 'UTC')),
    member(`timestamp_to_${id}_with_tz`, [types.timestamp, types.string], types.int, (t, zone) =>
      read(reading, t, asText(zone)),
    ),
  ];
  const unit = durationUnits[name];
  if (unit !== undefined)
    overloads.push(member(`duration_to_${id}`, [types.duration], types.int, (d) => asDuration(d).ns / unit));
  return overloads;
}

export const timestampLibrary: Library = Object.fromEntries(
  Object.entries(readings).map(([name, reading]) => [name, accessors(name, reading)]),
);
