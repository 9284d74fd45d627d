import { goQuote } from '@apichain/go-text';
import { deepClone, deepEqual } from './deep.ts';
import { isContainer } from './unstructured.ts';
import { stringifyJson } from './stringify-json.ts';
import { LongList } from './long-list.ts';
import { WrittenPaths } from './written-paths.ts';

/**
 * A patch that cannot be applied. The API server responds with 422 and a fixed text
 * (`the server rejected our request due to an error in our request`). Admission returns the message of this error.
 */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError';
}

/** A patch with more operations than the API server accepts: 413 RequestEntityTooLarge. */
export class JsonPatchTooLargeError extends Error {
  override readonly name = 'JsonPatchTooLargeError';
  constructor(operations: number) {
    super(`The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations}`);
  }
}

const maxJsonPatchOperations = 10_000;
/** The number of bytes that the `copy` operations of one patch may add, as in kube-apiserver. */
const maxJsonPatchCopyBytes = 3 * 1024 * 1024;

/**
 * Marks a `test` operation whose value has a spelling that Go's encoder never writes. Scalars are compared as text, so the test fails for every
 * value encoded by Go.
 */
const spelledApart = Symbol('spelled apart');

/** One step of RFC 6902. `value` undefined and null both mean null. */
export interface JsonPatchOperation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
  /** Set by `decodeJsonPatch`. The name is a symbol, so that clients cannot set it. */
  readonly [spelledApart]?: true;
}

type Container = Record<string, unknown> | unknown[];
const missing = 'missing value';
const invalidIndex = (index: string) =>
  new JsonPatchError(`Unable to access invalid index: ${index}: invalid index referenced`);

const decodeKey = (key: string) => key.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'));

function parseIndex(key: string): number {
  if (!/^[+-]?[0-9]+$/.test(key)) throw new JsonPatchError(`strconv.Atoi: parsing ${goQuote(key)}: invalid syntax`);
  return Number(key);
}

/** Counts negative indices from the end of a list of `length`. */
function resolveIndex(key: string, length: number): number {
  const index = parseIndex(key);
  if (index >= length || index < -length) throw invalidIndex(String(index));
  return index < 0 ? index + length : index;
}

function wrap(context: string, error: unknown): unknown {
  return error instanceof JsonPatchError ? new JsonPatchError(`${context}: ${error.message}`) : error;
}

function within<T>(context: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw wrap(context, error);
  }
}

/** From this length on, elements are not inserted by moving all elements that follow. */
const longArray = 4096;

type Edited = Pick<LongList, 'length' | 'insert' | 'remove'>;

const editedInPlace = (array: unknown[]): Edited => ({
  length: array.length,
  insert: (index, value) => void array.splice(index, 0, value),
  remove: (index) => void array.splice(index, 1),
});

function settleArray(array: unknown[], lists: Map<unknown[], LongList>): void {
  const list = lists.get(array);
  if (list === undefined) return;
  lists.delete(array);
  for (const [index, item] of list.toArray().entries()) array[index] = item;
  array.length = list.length;
}

/** Applies operations to a document that it may change; see applyJsonPatch. */
class Patcher {
  document: unknown;
  /** Paths of the values that came with this patch. They are spelled as the client has spelled them. */
  readonly #written = new WrittenPaths();
  /** The elements of long arrays while they are edited. */
  readonly #lists = new Map<unknown[], LongList>();
  #copied = 0;

  constructor(document: unknown) {
    this.document = document;
  }

  #getMember(container: Container, key: string): unknown {
    if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
    const list = this.#lists.get(container);
    const index = resolveIndex(key, list?.length ?? container.length);
    return list === undefined ? container[index] : list.get(index);
  }

  #setMember(container: Container, key: string, value: unknown): void {
    if (Array.isArray(container)) {
      const list = this.#lists.get(container);
      const index = resolveIndex(key, list?.length ?? container.length);
      if (list === undefined) container[index] = value;
      else list.set(index, value);
    } else Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
  }

  #addMember(container: Container, key: string, value: unknown): void {
    if (!Array.isArray(container)) return this.#setMember(container, key, value);
    const list = this.#edited(container);
    if (key === '-') {
      list.insert(list.length, value);
      return;
    }
    try {
      parseIndex(key);
    } catch (error) {
      throw wrap(`value was not a proper array index: '${key}'`, error);
    }
    list.insert(resolveIndex(key, list.length + 1), value);
  }

  #removeMember(container: Container, key: string): void {
    if (Array.isArray(container)) {
      const list = this.#edited(container);
      list.remove(resolveIndex(key, list.length));
    } else if (Object.hasOwn(container, key)) delete container[key];
    else throw new JsonPatchError(`Unable to remove nonexistent key: ${key}: ${missing}`);
  }

  #edited(array: unknown[]): Edited {
    const known = this.#lists.get(array);
    if (known !== undefined) return known;
    if (array.length < longArray) return editedInPlace(array);
    const list = new LongList(array);
    this.#lists.set(array, list);
    return list;
  }

  /** Writes edited elements back to the arrays within a value. */
  #settle(value: unknown): void {
    if (this.#lists.size === 0 || !isContainer(value)) return;
    if (Array.isArray(value)) settleArray(value, this.#lists);
    for (const member of Object.values(value)) this.#settle(member);
  }

  /** The document after all operations. */
  settled(): unknown {
    for (const array of [...this.#lists.keys()]) settleArray(array, this.#lists);
    return this.document;
  }

  apply(operation: JsonPatchOperation): void {
    this.#applyOne(operation);
    if (operation.op !== 'test' && typeof operation.path === 'string') this.#written.add(operation.path);
  }

  #applyOne(operation: JsonPatchOperation): void {
    switch (operation.op) {
      case 'add':
        return this.#add(operation);
      case 'remove':
        return this.#remove(operation);
      case 'replace':
        return this.#replace(operation);
      case 'move':
        return this.#move(operation);
      case 'test':
        return this.#test(operation);
      case 'copy':
        return this.#copy(operation);
      default:
        throw new JsonPatchError(`Unexpected kind: ${typeof operation.op === 'string' ? operation.op : 'unknown'}`);
    }
  }

  #path(operation: JsonPatchOperation): string {
    if (typeof operation.path === 'string') return operation.path;
    throw new JsonPatchError(
      operation.op === 'add' || operation.op === 'remove' || operation.op === 'copy'
        ? `${operation.op} operation failed to decode path: ${missing}`
        : `${String(operation.op)} operation failed to decode path: operation missing path field: ${missing}`,
    );
  }

  #from(operation: JsonPatchOperation): string {
    if (typeof operation.from === 'string') return operation.from;
    throw new JsonPatchError(
      `${String(operation.op)} operation failed to decode from: operation, missing from field: ${missing}`,
    );
  }

  /** The container of the member or element that the pointer names. */
  #find(pointer: string, complaint: string): { container: Container; key: string } {
    const parts = pointer.split('/');
    let container: unknown = parts.length < 2 ? undefined : this.document;
    for (const part of parts.slice(1, -1))
      container = isContainer(container) ? this.#enter(container, part) : undefined;
    if (!isContainer(container)) throw new JsonPatchError(`${complaint}: ${missing}`);
    return { container, key: decodeKey(parts.at(-1) ?? '') };
  }

  #enter(container: Container, part: string): unknown {
    try {
      return this.#getMember(container, decodeKey(part));
    } catch (error) {
      // A bad index in a parent path is reported as a missing path.
      if (error instanceof JsonPatchError) return undefined;
      throw error;
    }
  }

  #add(operation: JsonPatchOperation): void {
    const path = this.#path(operation);
    const { container, key } = this.#find(path, `add operation does not apply: doc is missing path: "${path}"`);
    within(`error in add for path: '${path}'`, () =>
      this.#addMember(container, key, deepClone(operation.value ?? null)),
    );
  }

  #remove(operation: JsonPatchOperation): void {
    const path = this.#path(operation);
    const { container, key } = this.#find(path, `remove operation does not apply: doc is missing path: "${path}"`);
    within(`error in remove for path: '${path}'`, () => this.#removeMember(container, key));
  }

  /** Adds a missing member. Only an index must exist. */
  #replace(operation: JsonPatchOperation): void {
    const path = this.#path(operation);
    const value = deepClone(operation.value ?? null);
    if (path === '') {
      if (!isContainer(value)) throw new JsonPatchError('replace operation value must be object or array: %!w(<nil>)');
      this.document = value;
      return;
    }
    const { container, key } = this.#find(path, `replace operation does not apply: doc is missing path: ${path}`);
    try {
      this.#setMember(container, key, value);
    } catch (error) {
      if (!(error instanceof JsonPatchError)) throw error;
      throw new JsonPatchError(`replace operation does not apply: doc is missing key: ${path}: ${missing}`);
    }
  }

  #move(operation: JsonPatchOperation): void {
    const from = this.#from(operation);
    const source = this.#find(from, `move operation does not apply: doc is missing from path: ${from}`);
    const value = within(`error in move for path: '${source.key}'`, () => {
      const member = this.#getMember(source.container, source.key);
      this.#removeMember(source.container, source.key);
      return member;
    });
    const path = this.#path(operation);
    const target = this.#find(path, `move operation does not apply: doc is missing destination path: ${path}`);
    within(`error in move for path: '${path}'`, () => this.#addMember(target.container, target.key, value));
  }

  #test(operation: JsonPatchOperation): void {
    const path = this.#path(operation);
    let actual = this.document;
    if (path !== '') {
      const { container, key } = this.#find(path, `test operation does not apply: is missing path: ${path}`);
      actual = within(`error in test for path: '${path}'`, () => this.#getMember(container, key));
    }
    // If the lengths of the two values differ, the test fails and the patch ends. So the cost of all tests is bounded by the length of the
    // patch.
    if (isContainer(operation.value)) this.#settle(actual);
    const isSpelledApart = operation[spelledApart] === true && !this.#written.covers(path);
    if (isSpelledApart || !deepEqual(actual ?? null, operation.value ?? null)) {
      throw new JsonPatchError(`testing value ${path} failed: test failed`);
    }
  }

  #copy(operation: JsonPatchOperation): void {
    const from = this.#from(operation);
    const source = this.#find(from, `copy operation does not apply: doc is missing from path: ${from}`);
    const value =
      within(`error in copy for from: '${from}'`, () => this.#getMember(source.container, source.key)) ?? null;
    const path = this.#path(operation);
    const target = this.#find(path, `copy operation does not apply: doc is missing destination path: ${path}`);
    this.#settle(value);
    if (value !== null) this.#copied += Buffer.byteLength(stringifyJson(value));
    if (this.#copied > maxJsonPatchCopyBytes) {
      throw new JsonPatchError(
        `Unable to complete the copy, the accumulated size increase of copy is ${this.#copied}, exceeding the limit ${maxJsonPatchCopyBytes}`,
      );
    }
    within('error while adding value during copy', () =>
      this.#addMember(target.container, target.key, deepClone(value)),
    );
  }
}

/**
 * Applies a JSON patch (RFC 6902) and returns the patched document; the arguments are not changed. As in kube-apiserver, negative indices
 * count from the end and `replace` adds a missing member. Throws JsonPatchTooLargeError for more than 10,000 operations, JsonPatchError if
 * an operation does not apply.
 * Source: evanphx/json-patch v4.
 */
export function applyJsonPatch(document: unknown, patch: readonly JsonPatchOperation[]): unknown {
  if (patch.length > maxJsonPatchOperations) throw new JsonPatchTooLargeError(patch.length);
  const patcher = new Patcher(deepClone(document));
  for (const operation of patch) patcher.apply(operation);
  return patcher.settled();
}

const goTypeName = (value: unknown) => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
};
const htmlUnsafe = /[<>&\u2028\u2029]/;

/** Whether Go's encoder would write the value at `path` as the client did. Go escapes some characters and shortens numbers. */
function isSpelledAsGo(value: unknown, path: string, literals: ReadonlyMap<string, string>): boolean {
  if (typeof value === 'string') return !htmlUnsafe.test(value);
  if (Array.isArray(value)) return value.every((item, i) => isSpelledAsGo(item, `${path}[${i}]`, literals));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).every(([key, member]) => isSpelledAsGo(member, `${path}.${key}`, literals));
  }
  const literal = literals.get(path);
  return literal === undefined || literal === stringifyJson(value);
}

const unmarshalError = (value: unknown, type: string, prefix = 'error decoding patch: ') =>
  new JsonPatchError(`${prefix}json: cannot unmarshal ${goTypeName(value)} into Go ${type}`);
const operationFields: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/**
 * Checks the shape of a decoded patch body. `unknownFields` holds paths such as `[0].bogus` for strict validation. Without it, members of
 * the wrong type make operations that fail when they are applied. `numberLiterals` are those of the body, as parseJsonStrict reports them.
 * Throws JsonPatchError with the complete message of the API server's 400 response (`error decoding patch: json: ...`).
 */
export function decodeJsonPatch(
  body: unknown,
  strict = true,
  numberLiterals: ReadonlyMap<string, string> = new Map(),
): { operations: JsonPatchOperation[]; unknownFields: string[] } {
  if (body === null) return { operations: [], unknownFields: [] };
  const fail = (value: unknown, strictType: string, type: string) =>
    strict ? unmarshalError(value, strictType) : unmarshalError(value, type, '');
  if (!Array.isArray(body)) {
    throw fail(body, 'value of type []handlers.jsonPatchOp', 'value of type jsonpatch.Patch');
  }
  const unknownFields: string[] = [];
  const operations = body.map((element: unknown, i): JsonPatchOperation => {
    if (element === null) return {};
    if (typeof element !== 'object' || Array.isArray(element)) {
      throw fail(element, 'value of type handlers.jsonPatchOp', 'value of type jsonpatch.Operation');
    }
    const given: JsonPatchOperation = element;
    const { op, value: tested } = given;
    const isSpelledApart = op === 'test' && !isSpelledAsGo(tested, `[${i}].value`, numberLiterals);
    const operation = isSpelledApart ? { ...given, [spelledApart]: true as const } : given;
    if (!strict) return operation;
    for (const [key, value] of Object.entries(element)) {
      if (!operationFields.has(key)) unknownFields.push(`[${i}].${key}`);
      else if (key !== 'value' && value !== null && typeof value !== 'string') {
        throw unmarshalError(value, `struct field jsonPatchOp.${key} of type string`);
      }
    }
    return operation;
  });
  return { operations, unknownFields };
}
