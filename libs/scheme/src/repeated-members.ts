import { formerValues, isRecord, setOwn, type Occurrence, type RepeatedMembers } from '@apichain/meta';
import type { Field, Type, TypeKind } from './type.ts';

type Container = Record<string, unknown>;

/** Kinds for which null keeps the current value of a variable. For other kinds null clears the variable. */
const keptByNull: ReadonlySet<TypeKind> = new Set([
  'object',
  'string',
  'integer',
  'number',
  'boolean',
  'fieldsV1',
  'rawExtension',
]);

const fieldNamed = (type: Type, name: string): Field | undefined =>
  type.byName?.get(name) ?? type.fields?.find((field) => field.name === name);

type Within = Map<string | number, RepeatedMembers>;

const noFormer: RepeatedMembers['former'] = new Map();
const nothing: Occurrence = { value: null, repeats: undefined };

/** A merged container. Its own repeated members are merged, those of its members may not be. */
const putTogether = (value: object, within: Within): Occurrence => ({
  value,
  repeats: within.size === 0 ? undefined : { former: noFormer, within },
});

/** A member of a container, by key or index. */
const memberOf = ({ repeats }: Occurrence, key: string | number, value: unknown): Occurrence => ({
  value,
  repeats: repeats?.within.get(key),
});

function note(within: Within, key: string | number, { repeats }: Occurrence): void {
  if (repeats === undefined) within.delete(key);
  else within.set(key, repeats);
}

/**
 * A variable into which values are read one after the other. A container of the document is copied when the first value is read into it.
 * The copy is then changed in place, so that the cost depends on the new values and not on the merged result.
 */
class Variable {
  /** The copies, with the repeated members of their members. */
  readonly #copies = new Map<unknown, Within>();
  /** Elements of a list survive a shorter list that follows, and reappear in a longer one. By the last list. */
  readonly #elementsEverSet = new Map<unknown, Occurrence[]>();

  /** The value of a variable that holds `before` after `given` is read into it; undefined is its initial value. */
  read(before: Occurrence | undefined, given: Occurrence, type: Type, pointer = false): Occurrence {
    if (before?.value === undefined || before.value === null) return given;
    const { value } = given;
    if (value === null) {
      if (type.kind === 'intOrString') return typeof before.value === 'number' && !pointer ? before : nothing;
      return pointer || !keptByNull.has(type.kind) ? nothing : before;
    }
    if (type.kind === 'array' && Array.isArray(before.value) && Array.isArray(value))
      return this.#list(before, before.value, given, value, type);
    if (!isRecord(before.value) || !isRecord(value)) return given;
    if (type.kind === 'map') return this.#map(before, before.value, given, value);
    return type.kind === 'object' && type.fields !== undefined
      ? this.#struct(before, before.value, given, value, type)
      : given;
  }

  #list(
    before: Occurrence,
    listBefore: unknown[],
    given: Occurrence,
    list: unknown[],
    { items, itemPointer }: Type,
  ): Occurrence {
    // For an empty list Go makes a new list.
    if (list.length === 0 || items === undefined) return given;
    const elements = this.#elementsEverSet.get(listBefore) ?? listBefore.map((item, i) => memberOf(before, i, item));
    this.#elementsEverSet.delete(listBefore);
    const merged: unknown[] = [];
    const within: Within = new Map();
    for (const [i, item] of list.entries()) {
      const element = memberOf(given, i, item);
      const read = i < elements.length ? this.read(elements[i], element, items, itemPointer === true) : element;
      elements[i] = read;
      merged.push(read.value);
      note(within, i, read);
    }
    this.#elementsEverSet.set(merged, elements);
    return putTogether(merged, within);
  }

  #map(before: Occurrence, mapBefore: Container, given: Occurrence, value: Container): Occurrence {
    const known = this.#copies.get(mapBefore);
    const merged = known === undefined ? { ...mapBefore } : mapBefore;
    const within: Within = known ?? new Map(before.repeats?.within);
    for (const [name, member] of Object.entries(value)) {
      setOwn(merged, name, member);
      note(within, name, memberOf(given, name, member));
    }
    this.#copies.set(merged, within);
    return putTogether(merged, within);
  }

  #struct(before: Occurrence, structBefore: Container, given: Occurrence, value: Container, type: Type): Occurrence {
    const known = this.#copies.get(structBefore);
    const merged = known === undefined ? {} : structBefore;
    const within: Within = known ?? new Map<string | number, RepeatedMembers>();
    if (known === undefined) this.#readMembers(merged, within, before, structBefore, type);
    this.#copies.set(merged, within);
    this.#readMembers(merged, within, given, value, type);
    return putTogether(merged, within);
  }

  #readMembers(into: Container, within: Within, from: Occurrence, source: Container, type: Type): void {
    for (const name of Object.keys(source)) {
      const field = fieldNamed(type, name);
      const last = memberOf(from, name, source[name]);
      let held: Occurrence = { value: into[name], repeats: within.get(name) };
      if (field === undefined) held = last;
      else {
        for (const occurrence of [...formerValues(from.repeats, name), last])
          held = this.read(held, occurrence, field.type, field.pointer);
      }
      setOwn(into, name, held.value);
      note(within, name, held);
    }
  }
}

/**
 * The value of a repeated field. Each of `values` is read into the result of the earlier ones: structs and maps collect members, lists are
 * merged by index, other values are replaced. The document is not changed.
 * Source: the behaviour of Go's encoding/json for a variable that is not empty.
 */
export function readInTurn(values: readonly Occurrence[], { type, pointer }: Field): Occurrence {
  const variable = new Variable();
  let held = nothing;
  for (const value of values) held = variable.read(held, value, type, pointer);
  return held;
}
