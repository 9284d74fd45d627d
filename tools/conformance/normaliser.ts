import { isRecord } from '@apichain/meta';

/** The options of a normaliser, for one scenario on one server. */
export interface NormaliserOptions {
  /** The texts that the scenario sends. Values that occur in them were not chosen by the server, and are not replaced. */
  readonly ownText: string;
  /** Texts with a fixed replacement in every run, longest first: the server's address, the run's name, ... */
  readonly replacements: readonly (readonly [text: string, shown: string])[];
  /** The user of the requests, unless a step specifies another user. */
  readonly administrator?: string;
  /** The time of the run in milliseconds. Times close to it are replaced. */
  readonly now?: number;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const jsonWebToken = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const age = /^(\d+(y|d|h|m|s))+$/;
/** Numbers that an error message presents as resource versions. */
const spokenVersion = /((?:resource ?version|current)(?: in [a-z ]+)?[\\":(\s]*)(\d+)/gi;
const dayMs = 86_400_000;
/** A path of a server source file in a message, with or without its module, which depends on the build. */
const sourceFile = /"[\w./-]*?(pkg\/[\w./-]+\.go:\d+)"/g;
/** The members of `/version` that identify a build or its machine. */
const buildMembers = new Set([
  'gitVersion',
  'gitCommit',
  'gitTreeState',
  'buildDate',
  'goVersion',
  'compiler',
  'platform',
]);

/**
 * Replaces values that differ between two correct servers with placeholders, so that equal responses become equal values. One normaliser
 * processes all responses of a scenario on one server, in order. A uid, a resourceVersion or a generated name is replaced with the place of
 * its first occurrence. Equality of such values therefore stays visible, and one difference does not shift the placeholders after it.
 *
 * The rules depend on the kind of value, never on the step:
 * - UUIDs: `<uid PLACE>`; JSON web tokens: `<jwt>`; times within two days of the run: `<time>`, with fractions `<microtime>`.
 * - `resourceVersion`: `<rv PLACE>` of an object, `<list rv>` of a list, a bookmark or a table; their order is in `versionOrder`. Numbers
 *   that messages present as resource versions are `<rv>`.
 * - names from generateName: `PREFIX<generated PLACE>`; `continue`: `<continue>`.
 * - cluster IPs and node ports that the server chose: `<cluster ip>`, `<node port>`; ages in the cells of a table: `<age>`.
 * - the administrator, who differs between servers, where a user is shown with groups: `<administrator>`, without groups, uid and extra.
 * - builds in `/version`: `<build>`; `serverAddressByClientCIDRs` is left out; source files in messages lose their module.
 * - `managedFields` are sorted by manager, operation and subresource: their order depends on the second in which each was written.
 * - variables of the run, which scenarios put into their requests: `<NAME>`.
 */
export class Normaliser {
  readonly #ownText: string;
  readonly #replacements: readonly (readonly [string, string])[];
  readonly #administrator: string | undefined;
  readonly #now: number;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #generatedNames = new Map<string, string>();
  /** Addresses and ports that the server chose. Messages and tables repeat them. */
  readonly #chosen = new Map<string, string>();

  constructor(options: NormaliserOptions) {
    this.#ownText = options.ownText;
    this.#replacements = options.replacements.filter(([text]) => text !== '');
    this.#administrator = options.administrator;
    this.#now = options.now ?? Date.now();
  }

  /** `place` identifies the response in the scenario: the step, and for a watch also the event. */
  normalise(value: unknown, place: string): unknown {
    return this.#value(value, '', place, '');
  }

  /** Normalises a response header or any other text. */
  text(text: string, place: string): string {
    let result = text;
    for (const [from, to] of this.#replacements) result = result.replaceAll(from, to);
    for (const [name, shown] of this.#generatedNames) result = result.replaceAll(name, shown);
    for (const [value, shown] of this.#chosen) result = result.replaceAll(new RegExp(`\\b${value}\\b`, 'g'), shown);
    return result
      .replace(uuid, (found) => this.#unlessOwn(found, () => this.#first(this.#uids, found, 'uid', place)))
      .replace(jsonWebToken, '<jwt>')
      .replace(time, (found, fraction?: string) => this.#unlessOwn(found, () => this.#time(found, fraction)));
  }

  /** The resource versions of objects in the order in which the server assigned them, each shown as the place of its first occurrence. */
  versionOrder(): string[] {
    return [...this.#versions]
      .sort(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0))
      .map(([, shown]) => shown);
  }

  #value(value: unknown, member: string, place: string, path: string): unknown {
    if (typeof value === 'string') return this.#string(value, member, place, path);
    if (typeof value === 'number') return this.#number(value, member);
    if (Array.isArray(value)) {
      const items = value.map((item, index) => this.#value(item, member, place, `${path}[${index}]`));
      return member === 'managedFields' ? items.sort(byManager) : items;
    }
    return isRecord(value) ? this.#record(value, place, path) : value;
  }

  #record(record: Readonly<Record<string, unknown>>, place: string, path: string): unknown {
    this.#rememberGeneratedName(record, place, path);
    const entries: [string, unknown][] = [];
    for (const [name, value] of Object.entries(this.#withoutAdministrator(record))) {
      const at = path === '' ? name : `${path}.${name}`;
      if (name === 'serverAddressByClientCIDRs') continue;
      if (name === 'resourceVersion' && typeof value === 'string')
        entries.push([name, this.#resourceVersion(value, record, place, at)]);
      else entries.push([this.text(name, place), this.#value(value, name, place, at)]);
    }
    return Object.fromEntries(entries);
  }

  #withoutAdministrator(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { username, groups, uid: _uid, extra: _extra, ...rest } = record;
    if (username === undefined || username !== this.#administrator || !Array.isArray(groups)) return record;
    return { ...rest, username: '<administrator>' };
  }

  #string(value: string, member: string, place: string, path: string): string {
    if (buildMembers.has(member)) return '<build>';
    if (member === 'continue' && value !== '') return '<continue>';
    if (member === 'cells' && age.test(value)) return '<age>';
    if ((member === 'clusterIP' || member === 'clusterIPs') && value !== '' && value !== 'None')
      return this.#unlessOwn(value, () => this.#choice(value.replaceAll('.', '\\.'), '<cluster ip>'));
    const text = this.text(value, `${place} ${path}`);
    return member === 'message' ? this.#message(text) : text;
  }

  #number(value: number, member: string): unknown {
    const isChosen = (member === 'nodePort' || member === 'healthCheckNodePort') && value !== 0;
    return isChosen && !this.#ownText.includes(String(value)) ? this.#choice(String(value), '<node port>') : value;
  }

  /** Records a value that the server chose. `pattern` is the value as a regular expression. */
  #choice(pattern: string, shown: string): string {
    this.#chosen.set(pattern, shown);
    return shown;
  }

  #message(text: string): string {
    return text
      .replace(spokenVersion, (all, words: string, digits: string) =>
        this.#versions.has(digits) ? `${words}<rv>` : this.#unlessOwn(digits, () => `${words}<rv>`, all),
      )
      .replace(sourceFile, '"$1"');
  }

  #resourceVersion(value: string, metadata: Readonly<Record<string, unknown>>, place: string, path: string): string {
    if (!/^[1-9]\d*$/.test(value)) return value;
    const known = this.#versions.get(value);
    // Metadata of objects has a uid or a name; metadata of lists, tables and bookmarks has neither.
    if (typeof metadata['uid'] === 'string') return this.#first(this.#versions, value, 'rv', `${place} ${path}`);
    if (metadata['name'] === undefined) return '<list rv>';
    return known ?? this.#unlessOwn(value, () => '<rv>');
  }

  #rememberGeneratedName(record: Readonly<Record<string, unknown>>, place: string, path: string): void {
    const { generateName, name } = record;
    if (typeof generateName !== 'string' || generateName === '' || typeof name !== 'string') return;
    if (!name.startsWith(generateName) || name.length !== generateName.length + 5) return;
    if (this.#generatedNames.has(name) || this.#ownText.includes(name)) return;
    const at = path === '' ? place : `${place} ${path}`;
    this.#generatedNames.set(name, `${generateName}<generated ${at}>`);
  }

  #time(found: string, fraction: string | undefined): string {
    if (Math.abs(Date.parse(found) - this.#now) > 2 * dayMs) return found;
    return fraction === undefined ? '<time>' : '<microtime>';
  }

  #first(seen: Map<string, string>, value: string, what: string, place: string): string {
    const known = seen.get(value);
    if (known !== undefined) return known;
    const shown = `<${what} ${place.trim()}>`;
    seen.set(value, shown);
    return shown;
  }

  #unlessOwn(value: string, shown: () => string, otherwise = value): string {
    return this.#ownText.includes(value) ? otherwise : shown();
  }
}

function byManager(a: unknown, b: unknown): number {
  const key = (entry: unknown) =>
    isRecord(entry) ? JSON.stringify([entry['manager'], entry['operation'], entry['subresource'] ?? '']) : '';
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}
