import { deepEqual, isRecord, equalityText } from '@apichain/meta';

import { itemsSchema, property, valuesSchema, type JsonSchemaProps } from './json-schema-props.ts';

/**
 * Correlates a new value with its old value, so that errors about unchanged values can be ignored.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting
 */
export class Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: JsonSchemaProps;
  readonly #isRoot: boolean;
  #unchanged: boolean | undefined;
  #oldItems: ReadonlyMap<string, unknown> | undefined;

  constructor(value: unknown, old: unknown, schema: JsonSchemaProps, isRoot = false) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
    this.#isRoot = isRoot;
  }

  /** Lists of type map are equal in any order. A map with members that the schema does not describe never counts as unchanged. */
  get unchanged(): boolean {
    this.#unchanged ??= this.#isUnchanged();
    return this.#unchanged;
  }

  #isUnchanged(): boolean {
    const { value, old } = this;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (this.#schema['x-kubernetes-list-type'] !== 'map') return deepEqual(value, old);
      return value.length === old.length && value.every((_, i) => this.index(i)?.unchanged === true);
    }
    if (!isRecord(value) || !isRecord(old)) return deepEqual(value, old);
    const names = Object.keys(value);
    return names.length === Object.keys(old).length && names.every((name) => this.key(name)?.unchanged === true);
  }

  /** The node of a field; undefined if the old object does not have it or the schema does not describe it. */
  key(name: string): Correlation | undefined {
    if (this.#isRoot && (name === 'apiVersion' || name === 'kind')) return undefined;
    const schema = property(this.#schema, name) ?? valuesSchema(this.#schema);
    if (schema === undefined || !isRecord(this.value) || !isRecord(this.old)) return undefined;
    if (!Object.hasOwn(this.value, name) || !Object.hasOwn(this.old, name)) return undefined;
    return new Correlation(this.value[name], this.old[name], schema);
  }

  /** The node of a list item. Only items of x-kubernetes-list-type=map have an identity: their keys. */
  index(i: number): Correlation | undefined {
    const schema = itemsSchema(this.#schema);
    if (schema === undefined || this.#schema['x-kubernetes-list-type'] !== 'map') return undefined;
    if (!Array.isArray(this.value) || !Array.isArray(this.old)) return undefined;
    const item: unknown = this.value[i];
    if (!isRecord(item)) return undefined;
    const keys = this.#schema['x-kubernetes-list-map-keys'] ?? [];
    this.#oldItems ??= itemsByKeys(this.old, keys);
    const old = this.#oldItems.get(keysText(item, keys));
    return old === undefined ? undefined : new Correlation(item, old, schema);
  }
}

const keysText = (item: Record<string, unknown>, keys: readonly string[]): string =>
  keys.map((key) => equalityText(Object.hasOwn(item, key) ? item[key] : undefined)).join();

/** The first item with each combination of keys. */
function itemsByKeys(list: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  const items = new Map<string, unknown>();
  for (const item of list) {
    if (!isRecord(item)) continue;
    const text = keysText(item, keys);
    if (!items.has(text)) items.set(text, item);
  }
  return items;
}
