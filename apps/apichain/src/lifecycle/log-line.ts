import { isRecord } from '@apichain/meta';
import { colored, type Meaning } from '../terminal/color.ts';
import { clock, clockWidth } from './clock.ts';
import { entryOf } from './log-entry.ts';
import { requestOf, requestText } from './request-line.ts';

/** A line of a log file. */
export interface LogLine {
  /** When it was written, in milliseconds. Undefined for a line that is no log entry. */
  readonly time: number | undefined;
  /** The service that wrote it: the name in the entry, or that of the file. */
  readonly service: string;
  /** The line as it stands in the file. */
  readonly text: string;
  readonly entry: Readonly<Record<string, unknown>> | undefined;
}

/** Reads a line of the log file of a process. Services write JSON; a program that crashes, and etcd, write other lines as well. */
export function parseLogLine(text: string, file: string): LogLine {
  const entry = entryOf(text);
  const { time, ts, name } = entry ?? {};
  const written = typeof time === 'number' ? time : typeof ts === 'string' ? Date.parse(ts) : NaN;
  return {
    time: Number.isNaN(written) ? undefined : written,
    service: typeof name === 'string' ? name : file,
    text,
    entry,
  };
}

const levels: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [10, 'TRACE'],
  [20, 'DEBUG'],
  [30, 'INFO'],
  [40, 'WARN'],
  [50, 'ERROR'],
  [60, 'FATAL'],
]);

/** Members of an entry that are shown in another form, or not at all. */
const shownElsewhere: ReadonlySet<string> = new Set([
  'level',
  'time',
  'ts',
  'pid',
  'hostname',
  'name',
  'msg',
  'caller',
]);

/** The colors of levels; the rest of the text keeps the terminal's color. */
const meanings: Readonly<Record<string, Meaning>> = {
  WARN: 'warning',
  ERROR: 'failure',
  FATAL: 'failure',
  DEBUG: 'aside',
  TRACE: 'aside',
};

/** A line for a terminal: local time, level, service, message, and the other members as `key=value`. */
export function formatLogLine({ time, service, text, entry }: LogLine, width: number, isColored: boolean): string {
  const label = service.padEnd(width);
  if (entry === undefined) return `${' '.repeat(clockWidth)} ${''.padEnd(5)} ${label} ${text}`;
  const level = levelText(entry['level']);
  const meaning = isColored ? meanings[level] : undefined;
  const shownLevel = meaning === undefined ? level.padEnd(5) : colored(level.padEnd(5), meaning);
  const head = `${clock(time)} ${shownLevel} ${label}`;
  const request = requestOf(entry);
  if (request !== undefined) return `${head} ${requestText(request, isColored)}`;
  const rest = Object.entries(entry).filter(([name]) => !shownElsewhere.has(name));
  const members = rest.map(([name, value]) => ` ${name}=${memberText(value)}`);
  return `${head} ${typeof entry['msg'] === 'string' ? entry['msg'] : ''}${members.join('')}`;
}

/** pino writes numbers, etcd names. */
const levelText = (level: unknown): string =>
  levels.get(level) ?? (typeof level === 'string' ? level.toUpperCase() : '');

/** An error is shown as its message. */
function memberText(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
  if (isRecord(value) && typeof value['message'] === 'string') return JSON.stringify(value['message']);
  return JSON.stringify(value);
}
