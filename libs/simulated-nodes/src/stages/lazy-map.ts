import { MapValue, type Value } from '@apichain/cel';

/** A map whose members are computed when an expression reads them, once. */
export class LazyMap extends MapValue {
  readonly typeName = 'map';
  readonly #compute: Readonly<Record<string, () => Value>>;
  readonly #known = new Map<string, Value>();

  constructor(compute: Readonly<Record<string, () => Value>>) {
    super();
    this.#compute = compute;
  }

  get size(): number {
    return Object.keys(this.#compute).length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#compute, key)) return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#compute[key]?.() ?? null;
    this.#known.set(key, value);
    return value;
  }

  keys(): readonly Value[] {
    return Object.keys(this.#compute).sort();
  }
}
