import { formerValuesOf } from '@apichain/meta';
import type { Field, Type, TypeKind } from './type.ts';

type Container = Record<string, unknown>;

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Kinds of which null leaves what a variable of theirs holds; the others become empty. */
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

function setOwn(object: Container, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else object[name] = value;
}

/**
 * A variable that values are read into one after the other. What the document holds is copied when something is first read into it; the
 * copies are changed from then on, so that the work grows with the values and not with what they have come to.
 */
class Variable {
  readonly #copies = new Set<unknown>();
  /** Elements of lists outlive a shorter list that came later, and show again in a longer one. By the last list. */
  readonly #elementsEverSet = new Map<unknown[], unknown[]>();

  /** What holds `before` afterwards; undefined is what a variable holds at first. */
  read(before: unknown, value: unknown, type: Type, pointer = false): unknown {
    if (before === undefined || before === null) return value;
    if (value === null) {
      if (type.kind === 'intOrString') return typeof before === 'number' && !pointer ? before : null;
      return pointer || !keptByNull.has(type.kind) ? null : before;
    }
    if (type.kind === 'array' && Array.isArray(before) && Array.isArray(value)) return this.#list(before, value, type);
    if (!isContainer(before) || !isContainer(value)) return value;
    if (type.kind === 'map') return this.#map(before, value);
    return type.kind === 'object' && type.fields !== undefined ? this.#struct(before, value, type) : value;
  }

  #list(before: unknown[], list: unknown[], { items, itemPointer }: Type): unknown[] {
    // Go makes a new list of an empty one.
    if (list.length === 0 || items === undefined) return list;
    const elements = this.#elementsEverSet.get(before) ?? before.slice();
    this.#elementsEverSet.delete(before);
    for (const [i, item] of list.entries())
      elements[i] = i < elements.length ? this.read(elements[i], item, items, itemPointer === true) : item;
    const merged = elements.slice(0, list.length);
    this.#elementsEverSet.set(merged, elements);
    return merged;
  }

  #map(before: Container, value: Container): Container {
    const merged = this.#copies.has(before) ? before : { ...before };
    for (const [name, member] of Object.entries(value)) setOwn(merged, name, member);
    this.#copies.add(merged);
    return merged;
  }

  #struct(before: Container, value: Container, type: Type): Container {
    const merged = this.#copies.has(before) ? before : this.#readMembers({}, before, type);
    this.#copies.add(merged);
    return this.#readMembers(merged, value, type);
  }

  #readMembers(into: Container, source: Container, type: Type): Container {
    for (const name of Object.keys(source)) {
      const field = fieldNamed(type, name);
      if (field === undefined) {
        setOwn(into, name, source[name]);
        continue;
      }
      for (const value of [...formerValuesOf(source, name), source[name]])
        setOwn(into, name, this.read(into[name], value, field.type, field.pointer));
    }
    return into;
  }
}

/**
 * The value of a field that a document names several times, each of `values` read into what those before it have left: structs and
 * maps gather members, lists are merged place by place, anything else is replaced. Nothing of the document is changed.
 * Source: what encoding/json of Go does with a variable that is not empty.
 */
export function readInTurn(values: readonly unknown[], { type, pointer }: Field): unknown {
  const variable = new Variable();
  return values.reduce((before, value) => variable.read(before, value, type, pointer), undefined);
}
