import { DurationError, parseDuration } from '../duration.ts';
import { everySchedule, fieldSchedule, type CronField, type CronSchedule } from './schedule.ts';
import { isTimeZone } from './time-zone.ts';

/*
 * Schedules of CronJobs: five fields or a descriptor, with the messages of the parser in the CronJob controller
 * (github.com/robfig/cron/v3, standard syntax).
 */
interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: Readonly<Record<string, number>>;
}
const named = (first: number, ...names: string[]): Record<string, number> =>
  Object.fromEntries(names.map((name, i) => [name, first + i]));

const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  {
    min: 1,
    max: 12,
    names: named(1, 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'),
  },
  { min: 0, max: 6, names: named(0, 'sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat') },
];
const descriptors: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/** Thrown for a schedule that cannot be parsed; the message is that of the parser in kube-controller-manager. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError';
}

const zero = 0x30;

function parseInteger(expression: string): number {
  const first = expression.charCodeAt(0) - zero;
  const second = expression.charCodeAt(1) - zero;
  // Nearly all numbers of a schedule have one or two digits. A schedule may have half a million of them.
  if (expression.length === 1 && isDigit(first)) return first;
  if (expression.length === 2 && isDigit(first) && isDigit(second)) return 10 * first + second;
  if (!/^[+-]?\d+$/.test(expression)) {
    const quoted = JSON.stringify(expression);
    throw new ScheduleError(`failed to parse int from ${expression}: strconv.Atoi: parsing ${quoted}: invalid syntax`);
  }
  const value = Number(expression);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    const quoted = JSON.stringify(expression);
    throw new ScheduleError(
      `failed to parse int from ${expression}: strconv.Atoi: parsing ${quoted}: value out of range`,
    );
  }
  if (value < 0) throw new ScheduleError(`negative number (${value}) not allowed: ${expression}`);
  return value;
}

const isDigit = (value: number): boolean => value >= 0 && value <= 9;

const parseValue = (expression: string, names: Bounds['names']): number =>
  names?.[expression.toLowerCase()] ?? parseInteger(expression);

function parseField(text: string, bounds: Bounds): CronField {
  const isChosen = new Uint8Array(bounds.max + 1);
  let isAny = false;
  for (const expression of text.split(',')) {
    if (expression === '') continue;
    const { start, end, every, isEverything } = parseRange(expression, bounds);
    for (let value = start; value <= end; value += every) isChosen[value] = 1;
    isAny ||= isEverything;
  }
  return { values: new Set([...isChosen.keys()].filter((value) => isChosen[value] === 1)), isAny };
}

/** The two parts of a text around a separator, and whether there are more than two. */
function divided(text: string, separator: string): { before: string; after?: string; hasMore: boolean } {
  const at = text.indexOf(separator);
  if (at < 0) return { before: text, hasMore: false };
  const next = text.indexOf(separator, at + 1);
  return { before: text.slice(0, at), after: text.slice(at + 1, next < 0 ? undefined : next), hasMore: next >= 0 };
}

/** The values from `start` to `end` in steps of `every`. */
interface Range {
  readonly start: number;
  readonly end: number;
  readonly every: number;
  readonly isEverything: boolean;
}

function parseRange(expression: string, { min, max, names }: Bounds): Range {
  const { before: span, after: step, hasMore: hasMoreSteps } = divided(expression, '/');
  const { before: low, after: high, hasMore: hasMoreHighs } = divided(span, '-');
  let start = min;
  let end = max;
  const isStar = low === '*' || low === '?';
  if (!isStar) {
    start = parseValue(low, names);
    if (hasMoreHighs) throw new ScheduleError(`too many hyphens: ${expression}`);
    end = high === undefined ? start : parseValue(high, names);
  }
  if (hasMoreSteps) throw new ScheduleError(`too many slashes: ${expression}`);
  let every = 1;
  if (step !== undefined) {
    every = parseInteger(step);
    if (high === undefined) end = max;
  }
  if (start < min) throw new ScheduleError(`beginning of range (${start}) below minimum (${min}): ${expression}`);
  if (end > max) throw new ScheduleError(`end of range (${end}) above maximum (${max}): ${expression}`);
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${expression}`);
  if (every === 0) throw new ScheduleError(`step of range should be a positive number: ${expression}`);
  return { start, end, every, isEverything: isStar && every === 1 };
}

function parseEvery(schedule: string): CronSchedule {
  const prefix = '@every ';
  if (!schedule.startsWith(prefix)) throw new ScheduleError(`unrecognized descriptor: ${schedule}`);
  try {
    return everySchedule(Number(parseDuration(schedule.slice(prefix.length)) / 1_000_000n));
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new ScheduleError(`failed to parse duration ${schedule}: ${error.message}`);
  }
}

/**
 * Parses a schedule of five fields or a descriptor, such as `@daily`, with an optional prefix `TZ=`. Without the prefix its times are in UTC, as where
 * kube-controller-manager runs in a container. Throws ScheduleError.
 */
export function parseSchedule(given: string): CronSchedule {
  let schedule = given;
  let timeZone = 'UTC';
  if (schedule === '') throw new ScheduleError('empty spec string');
  if (schedule.startsWith('TZ=') || schedule.startsWith('CRON_TZ=')) {
    const blank = schedule.indexOf(' ');
    if (blank < 0) {
      const length = schedule.indexOf('=') + 1;
      throw new ScheduleError(`invalid schedule format: runtime error: slice bounds out of range [${length}:-1]`);
    }
    const zone = schedule.slice(schedule.indexOf('=') + 1, blank);
    if (zone !== '' && zone !== 'Local' && !isTimeZone(zone)) {
      throw new ScheduleError(`provided bad location ${zone}: unknown time zone ${zone}`);
    }
    if (zone !== '' && zone !== 'Local') timeZone = zone;
    schedule = schedule.slice(blank).trim();
  }
  const isDescriptor = schedule.startsWith('@');
  const text = isDescriptor ? descriptors.get(schedule) : schedule;
  if (text === undefined) return parseEvery(schedule);
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length) {
    throw new ScheduleError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`);
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields.map((bounds, i) => parseField(parts[i] ?? '', bounds));
  return fieldSchedule({ minute, hour, dayOfMonth, month, dayOfWeek } as Parameters<typeof fieldSchedule>[0], timeZone);
}

/** Why a schedule cannot be parsed; undefined when it can. */
export function scheduleError(schedule: string): string | undefined {
  try {
    parseSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}
