/** What one session printed, by step, with the values replaced that two correct servers choose differently. */
export class Transcript {
  readonly name: string;
  readonly texts = new Map<string, string>();

  constructor(name: string) {
    this.name = name;
  }

  add(step: string, text: string): void {
    if (this.texts.has(step)) throw new Error(`the step ${step} occurs twice`);
    this.texts.set(step, normalise(text));
  }
}

const replacements: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/(resourceVersion"?: ?"?)\d+/g, '$1VERSION'],
  [/(Resource Version:\s+)\d+/g, '$1VERSION'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, 'HOST:PORT'],
  [/(memcache|request)\.go:\d+/g, '$1.go'],
  // Ages in tables, and the width of their column.
  [/ {2,}(\d+m)?\d+s(?= |$)/gm, ' AGE'],
  [/ +(<unknown>|AGE) *$/gm, ' AGE'],
  // OpenShift's kube-apiserver adds these to the role system:discovery.
  [/^ +\[\/\.well-known(\/\*)?\].*\n/gm, ''],
  [/^[EWI]\d{4} [\d:.]+ +\d+ /gm, ''],
];

const normalise = (text: string): string =>
  replacements.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text).trimEnd();
