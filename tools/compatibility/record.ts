/** What one run of the scenarios showed: texts that are compared between servers, and figures that are only reported. */
export class Record {
  readonly texts = new Map<string, string>();
  readonly figures = new Map<string, number>();

  /** Texts of several runs are compared with values of the run replaced. */
  text(step: string, text: string): void {
    if (this.texts.has(step)) throw new Error(`the step ${step} occurs twice`);
    this.texts.set(step, normalise(text));
  }

  /** Rounded to whole units. */
  figure(name: string, value: number): void {
    this.figures.set(name, Math.round(value));
  }
}

/** Values that two correct servers choose differently. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME'],
  [/(resourceVersion"?: ?"?)\d+/g, '$1VERSION'],
  [/(Resource Version:\s+)\d+/g, '$1VERSION'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, 'HOST:PORT'],
  // Go's resolver names the DNS server that it asked; Node's uses the system's.
  [/(dial tcp: lookup \S+) on \S+: no such host/g, '$1: no such host'],
  // Go's client says one or the other in the same situation.
  [/net\/http: request canceled \(Client\.Timeout/g, 'context deadline exceeded (Client.Timeout'],
  [/context deadline exceeded( \(Client\.Timeout exceeded while awaiting headers\))?/g, 'TIMEOUT'],
  // Ages in tables, and the width of their column.
  [/ +\d+m?s *$/gm, ' AGE'],
  [/ +AGE *$/gm, ' AGE'],
  [/^[EWI]\d{4} [\d:.]+ +\d+ /gm, ''],
];

function normalise(text: string): string {
  return replacements.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text).trimEnd();
}
