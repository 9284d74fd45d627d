import {
  finish,
  isRecord,
  parseJson,
  parsingJson,
  stringifySortedJson,
  stringifyJson,
  type KubeObject,
  type Omits,
  type Work,
} from '@apichain/meta';
import type { ObjectAttributes, ReadDefaults, StorageCodec, StoredForm } from './storage.ts';

export interface JsonCodecOptions {
  /**
   * Serializes an object in apichain's own layout: kind, apiVersion and metadata first, without resourceVersion and selfLink; equal objects give
   * equal texts. Default: the object unchanged, with sorted keys; it is then stored with all keys sorted, apiVersion and kind too, as
   * kube-apiserver stores custom resources.
   */
  readonly encode?: (object: KubeObject) => string;
  /**
   * Reads a value that another API server wrote and that is not JSON or not of the storage version. Returns undefined when the JSON reader can read
   * it. Throws when the value is unreadable.
   */
  readonly fromForeign?: (value: Buffer) => KubeObject | undefined;
  /** True when values of other versions may have apichain's own layout: every value is then passed to `fromForeign` first. */
  readonly foreignLooksOwn?: boolean;
  /** The form stored in etcd instead of the JSON text; `fromForeign` reads it. */
  readonly storedForm?: StoredForm;
  readonly readDefaults?: ReadDefaults;
  /** Labels and selectable fields of a parsed object. Default: name, namespace, labels, metadata.* fields. */
  readonly attributes?: (object: KubeObject) => ObjectAttributes;
}

/** Name, namespace, labels and the two field labels that every kind supports. */
export function metadataAttributes(object: KubeObject): ObjectAttributes {
  const { name = '', namespace = '', labels = {} } = object.metadata;
  return { name, namespace, labels, fields: { 'metadata.name': name, 'metadata.namespace': namespace } };
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/** Sorts the keys of every object of a value. Returns the same reference where they already are sorted, which is the usual case. */
class KeySorter {
  /** Some key may be a number. JavaScript keeps such keys before all others, in the order of the numbers. */
  hasNumber = false;

  sort(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.#sortElements(value);
    const source = value as Record<string, unknown>;
    let changed: Map<string, unknown> | undefined;
    let inOrder = true;
    let last = '';
    for (const key in source) {
      if (last === '' && isDigit(key.charCodeAt(0))) this.hasNumber = true;
      if (key < last) inOrder = false;
      last = key;
      const member = source[key];
      if (typeof member !== 'object' || member === null) continue;
      const sorted = this.sort(member);
      if (sorted !== member) (changed ??= new Map()).set(key, sorted);
    }
    if (inOrder && changed === undefined) return value;
    const memberOf = (key: string) => (changed?.has(key) === true ? changed.get(key) : source[key]);
    return Object.fromEntries(
      Object.keys(source)
        .sort()
        .map((key) => [key, memberOf(key)]),
    );
  }

  #sortElements(elements: readonly unknown[]): readonly unknown[] {
    let sorted: unknown[] | undefined;
    for (let i = 0; i < elements.length; i++) {
      const element = this.sort(elements[i]);
      if (element !== elements[i]) (sorted ??= [...elements])[i] = element;
    }
    return sorted ?? elements;
  }
}

/** A part of a character beyond U+FFFF. Only in a text with such characters may the order of UTF-16 units differ from Go's order of bytes. */
const surrogate = /[\ud800-\udfff]/;

function hasSurrogateInKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasSurrogateInKey);
  return isRecord(value) && Object.keys(value).some((key) => surrogate.test(key) || hasSurrogateInKey(value[key]));
}

/** Serializes with sorted keys: the text that Go makes of a map. */
function* encodingKeysSorted(value: unknown): Work<string> {
  const sorter = new KeySorter();
  const sorted = sorter.sort(value);
  yield;
  if (!sorter.hasNumber) {
    const text = stringifyJson(sorted);
    if (!surrogate.test(text) || !hasSurrogateInKey(sorted)) return text;
  }
  return stringifySortedJson(sorted);
}

/** Serializes in apichain's own layout, which allows a resourceVersion to be inserted into the bytes without parsing them. */
function* encodingOwnLayout(object: KubeObject): Work<string> {
  const { kind, apiVersion, metadata, ...rest } = object;
  const { resourceVersion: _revision, selfLink: _link, ...stored } = metadata;
  const head = `{"kind":${stringifyJson(kind)},"apiVersion":${stringifyJson(apiVersion)},"metadata":`;
  const members = (yield* encodingKeysSorted(rest)).slice(1);
  const tail = members === '}' ? members : `,${members}`;
  yield;
  return head + (yield* encodingKeysSorted(stored)) + tail;
}

/** Serializes without resourceVersion and selfLink. */
const encodingSorted = (object: KubeObject): Work<string> => encodingKeysSorted(unversioned(object));

const kindFirst = { first: Buffer.from('{"kind":"'), second: Buffer.from('","apiVersion":"') };
const apiVersionFirst = { first: Buffer.from('{"apiVersion":"'), second: Buffer.from('","kind":"') };
const metadataStart = Buffer.from('","metadata":{');
const revisionStart = Buffer.from('"resourceVersion":"');
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const lineFeed = 0x0a;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

const startsWithAt = (value: Buffer, part: Buffer, at: number) =>
  value.length >= at + part.length && value.compare(part, 0, part.length, at, at + part.length) === 0;

/** The end of the text that starts at `from`, or -1 if the text contains an escape. */
function endOfPlainText(value: Buffer, from: number): number {
  for (let i = from; i < value.length; i++) {
    if (value[i] === quote) return i;
    if (value[i] === backslash) return -1;
  }
  return -1;
}

/** Where the first two members of a value end, when they are the two texts of `order` and metadata follows. */
function headOf(value: Buffer, { first, second }: typeof kindFirst): { first: number; second: number } | undefined {
  if (!startsWithAt(value, first, 0)) return undefined;
  const firstEnd = endOfPlainText(value, first.length);
  if (firstEnd < 0 || !startsWithAt(value, second, firstEnd)) return undefined;
  const secondEnd = endOfPlainText(value, firstEnd + second.length);
  if (secondEnd < 0 || !startsWithAt(value, metadataStart, secondEnd)) return undefined;
  return { first: firstEnd, second: secondEnd };
}

/** Writes the head of a value with sorted keys to `json`, with kind first. It has the same length. */
function writeKindFirst(value: Buffer, ends: { first: number; second: number }, json: Buffer): void {
  let at = kindFirst.first.copy(json);
  at += value.copy(json, at, ends.first + apiVersionFirst.second.length, ends.second);
  at += kindFirst.second.copy(json, at);
  at += value.copy(json, at, apiVersionFirst.first.length, ends.first);
  metadataStart.copy(json, at);
}

/** The offset of the metadata members after a leading resourceVersion and its comma, or `at` when there is no resourceVersion. */
function skipRevision(value: Buffer, at: number): number {
  if (!startsWithAt(value, revisionStart, at)) return at;
  const end = endOfPlainText(value, at + revisionStart.length) + 1;
  return value[end] === comma ? end + 1 : end;
}

/** Go ends a document with a line feed. */
const withoutLineFeed = (value: Buffer): Buffer => (value.at(-1) === lineFeed ? value.subarray(0, -1) : value);

/**
 * Inserts `"resourceVersion":"N"` first into the metadata of a value in apichain's own layout, or in the same layout with apiVersion before kind.
 * Undefined for any other layout. The line feed after which Go ends a document is dropped: clients of watches read lines.
 */
function spliceRevision(value: Buffer, revision: number): Buffer | undefined {
  const own = headOf(value, kindFirst);
  const sorted = own === undefined ? headOf(value, apiVersionFirst) : undefined;
  const ends = own ?? sorted;
  if (ends === undefined) return undefined;
  const at = ends.second + metadataStart.length;
  const rest = skipRevision(value, at);
  const end = withoutLineFeed(value).length;
  // A value that was cut off is left to the parser, which says so.
  if (value[end - 1] !== closingBrace) return undefined;
  const inserted = `"resourceVersion":"${String(revision)}"${value[rest] === closingBrace ? '' : ','}`;
  // These bytes live as long as the object. A slice of Node's buffer pool would also keep the rest of the pool in memory, about twice as much again.
  const json = Buffer.allocUnsafeSlow(at + inserted.length + end - rest);
  if (sorted === undefined) value.copy(json, 0, 0, at);
  else writeKindFirst(value, sorted, json);
  json.write(inserted, at, 'latin1');
  value.copy(json, at + inserted.length, rest, end);
  return json;
}

/** Selectors know nothing of managed fields, which may be the largest part of an object. */
const isManagedFields: Omits = ([first, second]) => first === 'metadata' && second === 'managedFields';

function unversioned({ metadata, ...rest }: KubeObject): KubeObject {
  const { resourceVersion: _revision, selfLink: _link, ...stored } = metadata;
  return { ...rest, metadata: stored };
}

/** A codec for objects that may be stored without the defaults that reading adds. */
function withReadDefaults(
  codec: StorageCodec,
  fromForeign: (value: Buffer) => KubeObject | undefined,
  layOut: (object: KubeObject) => Buffer,
  { mayLack, complete }: ReadDefaults,
): StorageCodec {
  /** The object with its missing defaults; undefined when none are missing. */
  const completed = (json: Buffer): KubeObject | undefined => {
    if (!mayLack(json)) return undefined;
    const object = parseJson(json) as KubeObject;
    const full = complete(object);
    return full === object ? undefined : full;
  };
  const isComplete = (value: Buffer): boolean => {
    const foreign = fromForeign(value);
    return foreign === undefined
      ? completed(withoutLineFeed(value)) === undefined
      : codec.encode(foreign).equals(value);
  };
  return {
    ...codec,
    isCurrent: (value) => codec.isCurrent(value) && isComplete(value),
    decode(value, revision) {
      const json = codec.decode(value, revision);
      const full = completed(json);
      return full === undefined ? json : codec.decode(layOut(full), revision);
    },
  };
}

function readingForeignFirst(
  codec: StorageCodec,
  fromForeign: (value: Buffer) => KubeObject | undefined,
  layOut: (object: KubeObject) => Buffer,
): StorageCodec {
  return {
    ...codec,
    decode(value, revision) {
      const foreign = fromForeign(value);
      return codec.decode(foreign === undefined ? value : layOut(foreign), revision);
    },
  };
}

/**
 * Objects as JSON, stored byte for byte as kube-apiserver stores them. Values that this codec wrote are served by inserting the resourceVersion into the bytes; values of other API servers are parsed
 * and serialized again. `decode` also accepts its own output and then replaces the resourceVersion.
 */
export function jsonCodec(options: JsonCodecOptions = {}): StorageCodec {
  const { fromForeign = () => undefined, attributes = metadataAttributes, storedForm, readDefaults } = options;
  const { encode } = options;
  const layOut = (object: KubeObject) =>
    Buffer.from(encode === undefined ? finish(encodingOwnLayout(object)) : encode(object));
  function* encoding(object: KubeObject): Work<Buffer> {
    // Go ends a document with a line feed.
    if (storedForm === undefined)
      return Buffer.from(`${encode === undefined ? yield* encodingSorted(object) : encode(object)}\n`);
    return storedForm.encode(unversioned(object));
  }
  const present = (object: KubeObject, revision: number): Buffer => {
    const json = isRecord(object.metadata) ? spliceRevision(layOut(object), revision) : undefined;
    if (json === undefined) throw new Error('the object has no kind, apiVersion and metadata');
    return json;
  };
  const codec: StorageCodec = {
    encode: (object) => finish(encoding(object)),
    isCurrent: storedForm === undefined ? (value) => value[0] === openingBrace : (value) => storedForm.has(value),
    *encodingWithAttributes(object) {
      return { value: yield* encoding(object), attributes: attributes(object) };
    },
    decode(value, revision) {
      return (
        spliceRevision(value, revision) ?? present(fromForeign(value) ?? (parseJson(value) as KubeObject), revision)
      );
    },
    present,
    attributes: (json) => attributes(parseJson(json) as KubeObject),
    *readingAttributes(json) {
      return attributes((yield* parsingJson(json, isManagedFields)) as KubeObject);
    },
  };
  if (options.foreignLooksOwn === true) return readingForeignFirst(codec, fromForeign, layOut);
  return readDefaults === undefined ? codec : withReadDefaults(codec, fromForeign, layOut, readDefaults);
}
