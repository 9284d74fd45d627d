/** A container whose log is a part of a joined one. */
export interface LogSource {
  readonly pod: string;
  readonly container: string;
}

interface Line {
  /** As in RFC 3339, with nanoseconds. */
  readonly time: string;
  readonly text: string;
}

/** Lines of each log that are asked for at first, and those that are kept of all together. */
const limits = { first: 200, kept: 5000 } as const;

/**
 * The logs of several containers in the order of their times. They may be read again and again, as when a pod is added: lines that are there are not added
 * twice.
 */
export class JoinedLog {
  /** Oldest first. */
  #lines: Line[] = [];
  /** The newest time of each source, and how many lines have it. */
  readonly #newest = new Map<string, { readonly time: string; readonly count: number }>();
  /** How many of these are still to be skipped, because they are read again. */
  readonly #repeated = new Map<string, number>();

  get lines(): readonly string[] {
    return this.#lines.map(({ text }) => text);
  }

  /** The query with which the log of a source is read from where it was. */
  begin({ pod, container }: LogSource): string {
    const newest = this.#newest.get(keyOf({ pod, container }));
    this.#repeated.set(keyOf({ pod, container }), newest?.count ?? 0);
    const from: Readonly<Record<string, string>> =
      newest === undefined ? { tailLines: String(limits.first) } : { sinceTime: secondOf(newest.time) };
    return new URLSearchParams({ container, follow: 'true', timestamps: 'true', ...from }).toString();
  }

  /** Takes a line with its time. `prefix` is shown before it. */
  take(source: LogSource, line: string, prefix: string): void {
    const key = keyOf(source);
    const space = line.indexOf(' ');
    const [time, text] = space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
    const newest = this.#newest.get(key);
    if (newest !== undefined && time < newest.time) return;
    const repeated = this.#repeated.get(key) ?? 0;
    if (time === newest?.time && repeated > 0) {
      this.#repeated.set(key, repeated - 1);
      return;
    }
    this.#newest.set(key, { time, count: time === newest?.time ? newest.count + 1 : 1 });
    let place = this.#lines.length;
    while (place > 0 && (this.#lines[place - 1]?.time ?? '') > time) place--;
    this.#lines.splice(place, 0, { time, text: `${prefix}  ${text}` });
    // Cut rarely, so that a line costs no copy of the others.
    if (this.#lines.length >= 2 * limits.kept) this.#lines = this.#lines.slice(-limits.kept);
  }
}

const keyOf = ({ pod, container }: LogSource): string => `${pod}/${container}`;

/** Kubernetes reads the time in whole seconds. */
const secondOf = (time: string): string => time.replace(/\.\d+/, '');
