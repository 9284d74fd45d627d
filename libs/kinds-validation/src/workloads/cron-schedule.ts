import { DurationError, parseDuration } from '@apichain/go-text';

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
const descriptors = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

class ScheduleError extends Error {}

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

function checkRange(expression: string, { min, max, names }: Bounds): void {
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
}

function checkDescriptor(schedule: string): void {
  if (descriptors.has(schedule)) return;
  const prefix = '@every ';
  if (!schedule.startsWith(prefix)) throw new ScheduleError(`unrecognized descriptor: ${schedule}`);
  try {
    parseDuration(schedule.slice(prefix.length));
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new ScheduleError(`failed to parse duration ${schedule}: ${error.message}`);
  }
}

function resolvedTimeZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Whether this system has a time zone of that name. JavaScript ignores case and accepts
 * offsets. The zone database does neither, and its names start with a capital letter.
 */
export function isTimeZone(name: string): boolean {
  const resolved = name.split('/').every((part) => /^[A-Z]/.test(part)) ? resolvedTimeZone(name) : undefined;
  if (resolved === undefined) return false;
  // An alias resolves to another name.
  return resolved === name || resolved.toLowerCase() !== name.toLowerCase();
}

function checkSchedule(given: string): void {
  let schedule = given;
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
    schedule = schedule.slice(blank).trim();
  }
  if (schedule.startsWith('@')) {
    checkDescriptor(schedule);
    return;
  }
  const parts = schedule.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length) {
    throw new ScheduleError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`);
  }
  for (const [i, bounds] of fields.entries()) {
    for (const expression of (parts[i] ?? '').split(',')) if (expression !== '') checkRange(expression, bounds);
  }
}

/** Why a schedule cannot be parsed; undefined when it can. */
export function scheduleError(schedule: string): string | undefined {
  try {
    checkSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}
