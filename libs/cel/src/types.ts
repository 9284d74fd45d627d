import type { Type } from '@apichain/scheme';

export type CelKind =
  | 'dyn'
  | 'error'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'list'
  | 'map'
  | 'object'
  | 'opaque'
  | 'type'
  | 'param';

/** A static type. https://github.com/google/cel-spec/blob/master/doc/langdef.md#gradual-type-checking */
export interface CelType {
  readonly kind: CelKind;
  readonly name: string;
  readonly params: readonly CelType[];
  /** For `object`: the schema node that declares the fields. */
  readonly decl?: DeclType;
}

/**
 * A schema node as declared for expressions. The sizes are for cost estimates: `maxElements` of lists, maps, strings and bytes, and
 * `minSize`, the minimum number of bytes in JSON.
 */
export interface DeclType {
  readonly kind:
    | 'object'
    | 'map'
    | 'list'
    | 'dyn'
    | 'int'
    | 'double'
    | 'bool'
    | 'string'
    | 'bytes'
    | 'timestamp'
    | 'duration';
  readonly type: Type;
  readonly celType: CelType;
  /** The type of list items or map values. */
  readonly elem?: DeclType;
  /** By the names in expressions. */
  readonly fields?: ReadonlyMap<string, DeclField>;
  readonly maxElements?: number;
  readonly minSize: number;
}
export interface DeclField {
  /** JSON name. */
  readonly name: string;
  readonly decl: DeclType;
}

const simple = (kind: CelKind, name: string = kind): CelType => ({ kind, name, params: [] });

export const dyn = simple('dyn');
export const errorType = simple('error', '!error!');
export const bool = simple('bool');
export const int = simple('int');
export const uint = simple('uint');
export const double = simple('double');
export const string = simple('string');
export const bytes = simple('bytes');
export const nullType = simple('null');
export const timestamp = simple('timestamp');
export const duration = simple('duration');
export const list = (item: CelType): CelType => ({ kind: 'list', name: 'list', params: [item] });
export const map = (key: CelType, value: CelType): CelType => ({ kind: 'map', name: 'map', params: [key, value] });
export const typeOf = (of?: CelType): CelType => ({ kind: 'type', name: 'type', params: of === undefined ? [] : [of] });
export const optional = (of: CelType): CelType => ({ kind: 'opaque', name: 'optional_type', params: [of] });
export const opaque = (name: string): CelType => ({ kind: 'opaque', name, params: [] });
export const param = (name: string): CelType => ({ kind: 'param', name, params: [] });

export const isOptional = (t: CelType): boolean => t.kind === 'opaque' && t.name === 'optional_type';
export const isDynOrError = (t: CelType): boolean => t.kind === 'dyn' || t.kind === 'error';

/** The text of a type in messages. */
export function formatType(t: CelType): string {
  return t.params.length === 0 ? t.name : `${t.name}(${t.params.map(formatType).join(', ')})`;
}

const runtimeNames: Readonly<Partial<Record<CelKind, string>>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};

/** The run-time name of a type, as in messages about whole expressions. */
export function declaredName(t: CelType): string {
  const name = runtimeNames[t.kind] ?? t.name;
  return t.params.length === 0 ? name : `${name}(${t.params.map(declaredName).join(', ')})`;
}

export function sameType(a: CelType, b: CelType): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((p, i) => sameType(p, b.params[i] ?? errorType))
  );
}

const nullable: ReadonlySet<CelKind> = new Set<CelKind>(['null', 'object', 'opaque', 'timestamp', 'duration']);

/** The types that are bound to type variables. */
export class Substitutions {
  #known: Map<string, CelType>;
  #next = 0;

  constructor(known: Map<string, CelType> = new Map()) {
    this.#known = known;
  }

  fresh(): CelType {
    return param(`_var${this.#next++}`);
  }

  /** The type with its variables replaced. With `toDyn`, unbound variables become dyn. */
  apply(t: CelType, toDyn: boolean): CelType {
    const found = t.kind === 'param' ? this.#known.get(t.name) : undefined;
    if (found !== undefined) return this.apply(found, toDyn);
    if (t.kind === 'param') return toDyn ? dyn : t;
    if (t.params.length === 0) return t;
    return { ...t, params: t.params.map((p) => this.apply(p, toDyn)) };
  }

  /** Whether every type in `from` is assignable to that in `to`. Binds type variables if all are. */
  assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    if (from.length !== to.length) return false;
    const before = new Map(this.#known);
    const fits = from.every((f, i) => this.#assignable(f, to[i] ?? errorType));
    if (!fits) this.#known = before;
    return fits;
  }

  #assignable(a: CelType, b: CelType): boolean {
    if (b.kind === 'param') {
      const { valid, known } = this.#substitutes(a, b);
      if (valid) return true;
      if (known) return false;
    }
    if (a.kind === 'param') return this.#substitutes(b, a).valid;
    if (isDynOrError(a) || isDynOrError(b)) return true;
    if (a.kind === 'null') return nullable.has(b.kind);
    if (b.kind === 'null') return nullable.has(a.kind);
    if (a.kind === 'type') return b.kind === 'type';
    if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
    return a.params.every((p, i) => this.#assignable(p, b.params[i] ?? errorType));
  }

  #substitutes(t: CelType, variable: CelType): { valid: boolean; known: boolean } {
    if (sameType(t, variable)) return { valid: true, known: true };
    const known = this.#known.get(variable.name);
    if (known !== undefined) {
      if (sameType(t, known)) return { valid: true, known: true };
      if (!this.#assignable(t, known)) return { valid: false, known: true };
      const general = mostGeneral(t, known);
      if (!this.#mentions(general, variable.name)) this.#known.set(variable.name, general);
      return { valid: true, known: true };
    }
    if (this.#mentions(t, variable.name)) return { valid: false, known: false };
    this.#known.set(variable.name, t);
    return { valid: true, known: false };
  }

  #mentions(t: CelType, variable: string): boolean {
    if (t.kind === 'param') {
      const known = this.#known.get(t.name);
      return t.name === variable || (known !== undefined && this.#mentions(known, variable));
    }
    return t.params.some((p) => this.#mentions(p, variable));
  }
}

/** The more general of two compatible types. */
export const mostGeneral = (a: CelType, b: CelType): CelType => (isLessSpecific(a, b) ? a : b);

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn') return true;
  if (b.kind === 'dyn') return false;
  if (a.kind === 'param') return true;
  if (b.kind === 'param') return false;
  if (a.kind === 'null') return false;
  if (b.kind === 'null') return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((p, i) => isLessSpecific(p, b.params[i] ?? errorType));
}
