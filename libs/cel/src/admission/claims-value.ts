import { isRecord } from '@apichain/meta';
import { unescapeName } from '../decl-type.ts';
import { ListValue, MapValue, type Value } from '../values.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Converts the JSON of a token to a value. All numbers are doubles, and members may be read by their escaped names, `foo__dot__bar`.
 * After k8s.io/apiserver/plugin/pkg/authenticator/token/oidc.
 */
export function claimsValue(raw: unknown): Value {
  if (typeof raw === 'string' || typeof raw === 'boolean' || typeof raw === 'number') return raw;
  if (typeof raw === 'bigint') return Number(raw);
  if (Array.isArray(raw)) return new ClaimsList(raw);
  return isRecord(raw) ? new ClaimsMap(raw) : null;
}

class ClaimsList extends ListValue {
  readonly #raw: readonly unknown[];
  constructor(raw: readonly unknown[]) {
    super();
    this.#raw = raw;
  }
  get size(): number {
    return this.#raw.length;
  }
  at(index: number): Value {
    return claimsValue(this.#raw[index]);
  }
}

class ClaimsMap extends MapValue {
  readonly typeName = 'map';
  readonly #raw: Fields;
  constructor(raw: Fields) {
    super();
    this.#raw = raw;
  }
  get size(): number {
    return Object.keys(this.#raw).length;
  }
  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const name = unescapeName(key);
    return Object.hasOwn(this.#raw, name) ? claimsValue(this.#raw[name]) : undefined;
  }
  keys(): readonly Value[] {
    return Object.keys(this.#raw);
  }
}
