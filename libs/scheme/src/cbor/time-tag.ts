import type { JsonValue } from '@apichain/meta';
import { CborError } from './cbor-error.ts';

const rfc3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
/** The range of years that RFC 3339 can express, in seconds since the epoch. */
const earliest = -62_135_596_800;
const latest = 253_402_300_799;

const withoutTrailingZeros = (fraction: string): string => fraction.replace(/\.?(?<!0)0+$/, '');

function textTime(text: string): string {
  const parts = rfc3339.exec(text);
  if (parts === null || Number.isNaN(Date.parse(text))) {
    throw new CborError(`cbor: cannot set ${text} for time.Time: parsing time ${JSON.stringify(text)}`);
  }
  const [, seconds = '', fraction = '', zone = ''] = parts;
  return `${seconds}${withoutTrailingZeros(fraction)}${zone}`;
}

function epochTime(seconds: number): string {
  if (seconds < earliest || seconds > latest) throw new CborError('cbor: time is out of the range of RFC 3339');
  const whole = Math.floor(seconds);
  const nanoseconds = Math.round((seconds - whole) * 1e9);
  const fraction = nanoseconds === 0 ? '' : withoutTrailingZeros(`.${String(nanoseconds).padStart(9, '0')}`);
  return `${new Date(whole * 1000).toISOString().slice(0, 19)}${fraction}Z`;
}

/** The content of a time tag (0: text, 1: seconds since the epoch) as RFC 3339 text. Throws CborError. */
export function timeText(content: JsonValue): string {
  if (typeof content === 'string') return textTime(content);
  if (typeof content === 'number') return epochTime(content);
  if (typeof content === 'bigint') return epochTime(Number(content));
  throw new CborError('cbor: cannot unmarshal tag into Go value of type time.Time');
}
