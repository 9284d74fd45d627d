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

function parseInteger(expression: string): number {
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

const parseValue = (expression: string, names: Bounds['names']): number =>
  names?.[expression.toLowerCase()] ?? parseInteger(expression);

function parseField(text: string, bounds: Bounds): CronField {
  const ranges = text
    .split(',')
    .filter((expression) => expression !== '')
    .map((expression) => parseRange(expression, bounds));
  return { values: new Set(ranges.flatMap(({ values }) => values)), isAny: ranges.some(({ isAny }) => isAny) };
}

function parseRange(expression: string, { min, max, names }: Bounds): { values: number[]; isAny: boolean } {
  const [span = '', step, ...tooManySteps] = expression.split('/');
  const [low = '', high, ...tooManyHighs] = span.split('-');
  let start = min;
  let end = max;
  const single = high === undefined;
  if (low !== '*' && low !== '?') {
    start = parseValue(low, names);
    if (tooManyHighs.length > 0) throw new ScheduleError(`too many hyphens: ${expression}`);
    end = high === undefined ? start : parseValue(high, names);
  }
  if (tooManySteps.length > 0) throw new ScheduleError(`too many slashes: ${expression}`);
  let every = 1;
  if (step !== undefined) {
    every = parseInteger(step);
    if (single) end = max;
  }
  if (start < min) throw new ScheduleError(`beginning of range (${start}) below minimum (${min}): ${expression}`);
  if (end > max) throw new ScheduleError(`end of range (${end}) above maximum (${max}): ${expression}`);
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${expression}`);
  if (every === 0) throw new ScheduleError(`step of range should be a positive number: ${expression}`);
  const values: number[] = [];
  for (let value = start; value <= end; value += every) values.push(value);
  return { values, isAny: (low === '*' || low === '?') && every === 1 };
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
