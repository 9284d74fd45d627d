import { isRecord } from '@apichain/meta';

/** Levels of pino, which the services log with, by the names that etcd has for them. */
const levels: ReadonlyMap<unknown, number> = new Map([
  ['debug', 20],
  ['info', 30],
  ['warn', 40],
  ['error', 50],
  ['dpanic', 60],
  ['panic', 60],
  ['fatal', 60],
]);
const info = 30;

/**
 * A line that a process printed as an entry of its log file, in the one form of all of them: a JSON object with `level`, `time` in milliseconds,
 * `name` and `msg`. Entries of the services are so already. Those of etcd get the same members; other text becomes the message of an entry.
 */
export function logEntry(line: string, name: string, now = Date.now()): string {
  // Most lines are such entries: only what pino writes begins so.
  if (line.startsWith('{"level":') && /^\{"level":\d+,"time":\d+,/.test(line) && line.endsWith('}')) return line;
  const value = entryOf(line);
  if (value === undefined) return JSON.stringify({ level: info, time: now, name, msg: line });
  const { level, ts, time: given, msg, ...rest } = value;
  const time = typeof ts === 'string' ? Date.parse(ts) : given;
  const known = { level: levelOf(level), time: typeof time === 'number' && !Number.isNaN(time) ? time : now, name };
  return JSON.stringify({ ...known, ...rest, ...(msg === undefined ? {} : { msg }) });
}

const levelOf = (level: unknown): number => (typeof level === 'number' ? level : (levels.get(level) ?? info));

/** The object of a line in JSON. Undefined for other text, and for a line that was cut when its process was killed. */
export function entryOf(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    // Text that only begins like an object.
    return undefined;
  }
}

/** The longest line that is waited for. */
const maxLine = 1 << 20;

/** Cuts the output of a process into lines. */
export class Lines {
  #rest = '';
  readonly #decoder = new TextDecoder();

  /** The lines that are complete with this chunk. A line that is too long comes in pieces. */
  add(chunk: Uint8Array): string[] {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > maxLine) lines.push(this.end());
    return lines.filter((line) => line.trim() !== '');
  }

  /** The last line, which had no end. Empty if there is none. */
  end(): string {
    const rest = this.#rest;
    this.#rest = '';
    return rest;
  }
}
