/** What one run of the scenarios showed: texts that are compared between servers, and figures that are only reported. */
export class Recording {
  readonly texts = new Map<string, string>();
  readonly figures = new Map<string, number>();

  /** Texts of several runs are compared without what servers choose. */
  text(step: string, text: string): void {
    if (this.texts.has(step)) throw new Error(`the step ${step} occurs twice`);
    this.texts.set(step, replaced(text, chosenByServers).trimEnd());
  }

  /** Rounded to whole units. */
  figure(name: string, value: number): void {
    this.figures.set(name, Math.round(value));
  }
}

/** A pattern, and what stands in the place of each text that it matches. */
export type Replacement = readonly [pattern: RegExp, replacement: string];

/** A text after all replacements, in order: later patterns see what earlier ones have left. */
export const replaced = (text: string, replacements: readonly Replacement[]): string =>
  replacements.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);

/** UIDs of objects. */
export const uids: Replacement = [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID'];

/** Times as the API has them. */
export const times: Replacement = [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'];

/** The suffixes of generateName. */
export const generatedSuffixes: Replacement = [/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-RANDOM'];

/** What two correct servers choose differently, in the responses of servers and in what kubectl prints of them. */
const chosenByServers: readonly Replacement[] = [
  ...[uids, times],
  [/(resourceVersion"?: ?"?)\d+/g, '$1VERSION'],
  [/(Resource Version:\s+)\d+/g, '$1VERSION'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, 'HOST:PORT'],
  [/(memcache|request)\.go:\d+/g, '$1.go'],
  // Go's resolver names the DNS server that it asked; Node's uses the system's.
  [/(dial tcp: lookup \S+) on \S+: no such host/g, '$1: no such host'],
  // Go's client says one or the other in the same situation.
  [/net\/http: request canceled \(Client\.Timeout/g, 'context deadline exceeded (Client.Timeout'],
  [/context deadline exceeded( \(Client\.Timeout exceeded while awaiting headers\))?/g, 'TIMEOUT'],
  // Ages in tables, and the width of their column.
  [/ {2,}(\d+m)?\d+s(?= |$)/gm, ' AGE'],
  [/ +\d+m?s *$/gm, ' AGE'],
  [/ +(<unknown>|AGE) *$/gm, ' AGE'],
  // OpenShift's kube-apiserver adds these to the role system:discovery.
  [/^ +\[\/\.well-known(\/\*)?\].*\n/gm, ''],
  [/^[EWI]\d{4} [\d:.]+ +\d+ /gm, ''],
];
