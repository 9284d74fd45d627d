import { deepClone, isContainer, type JsonValue, oncePerObject } from '@apichain/meta';
import type { Type } from './type.ts';

/** When a value rule applies: the member is unset; unset or ""; unset or 0; unset or an empty list. */
export type DefaultCondition = 'absent' | 'empty' | 'zero' | 'emptyList';
/** `path` is relative to the type of the rule, e.g. `spec.ports[*].protocol`. If a parent is unset, the rule does not apply. */
export interface ValueRule {
  readonly path: string;
  readonly when: DefaultCondition;
  readonly value: JsonValue;
  /** Rules of one type run in ascending order; default 0. */
  readonly order?: number;
}

/** A default that is not a single value. The function changes the object of the type in place. */
export interface ComputedRule<T extends object = Record<string, unknown>> {
  readonly compute: (object: T) => void;
  readonly order?: number;
}

/** The default of a field: a value, or a function of the enclosing object. */
export type DefaultRule = ValueRule | ComputedRule;

/** Rules by the name of their type, or by the name of a named map or list (`core.v1.ResourceList`). */
export type DefaultRules = ReadonlyMap<string, readonly DefaultRule[]>;

type Container = Record<string, unknown>;
type Visit = (value: Container) => void;

const conditions: Readonly<Record<DefaultCondition, (value: unknown) => boolean>> = {
  absent: (value) => value === undefined || value === null,
  empty: (value) => value === undefined || value === null || value === '',
  zero: (value) => value === undefined || value === null || value === 0,
  emptyList: (value) => value === undefined || value === null || (Array.isArray(value) && value.length === 0),
};

/** Calls `visit` for every object at the path of steps; `[*]` stands for each element of a list. */
function follow(steps: readonly string[], visit: Visit): Visit {
  const [step, ...rest] = steps;
  if (step === undefined) return visit;
  const next = follow(rest, visit);
  const isList = step.endsWith('[*]');
  const name = isList ? step.slice(0, -'[*]'.length) : step;
  return (object) => {
    const value = object[name];
    if (!isContainer(value)) return;
    if (!isList) next(value);
    else if (Array.isArray(value)) for (const item of value as unknown[]) if (isContainer(item)) next(item);
  };
}

function compileRule(rule: DefaultRule): Visit {
  if ('compute' in rule) return rule.compute;
  const steps = rule.path.split('.');
  const name = steps.pop() ?? '';
  const applies = conditions[rule.when];
  const { value } = rule;
  const isScalar = !isContainer(value);
  return follow(steps, (object) => {
    if (applies(object[name])) object[name] = isScalar ? value : deepClone(value);
  });
}

/** The names of the structs that are inlined in the type. */
function embeddedTypes(type: Type): string[] {
  const names = new Set<string>();
  for (const field of type.fields ?? []) {
    for (let at = field.protoEmbedded; at !== undefined; at = at.inner) names.add(at.typeName);
  }
  return [...names];
}

/** Compiles rules for types. A type that several kinds share is compiled once. */
class Compiler {
  readonly #rules: DefaultRules;
  readonly #visits = new Map<Type, Visit>();
  readonly #reaches = new Map<Type, boolean>();

  constructor(rules: DefaultRules) {
    this.#rules = rules;
  }

  #rulesOf(type: Type): readonly DefaultRule[] {
    const own = this.#rules.get(type.alias ?? type.name ?? '') ?? [];
    return [...own, ...embeddedTypes(type).flatMap((name) => this.#rules.get(name) ?? [])];
  }

  static #children(type: Type): Type[] {
    const children = (type.fields ?? []).map((field) => field.type);
    if (type.values !== undefined) children.push(type.values);
    if (type.items !== undefined) children.push(type.items);
    return children;
  }

  /** Whether any rule applies to the type or a type in it. The rest of the graph is never visited. */
  reaches(type: Type): boolean {
    const known = this.#reaches.get(type);
    if (known !== undefined) return known;
    const seen = new Set<Type>([type]);
    let found = false;
    for (const inner of seen) {
      if (this.#rulesOf(inner).length > 0 || this.#reaches.get(inner) === true) {
        found = true;
        break;
      }
      for (const child of Compiler.#children(inner)) seen.add(child);
    }
    this.#reaches.set(type, found);
    return found;
  }

  visit(type: Type): Visit {
    const known = this.#visits.get(type);
    if (known !== undefined) return known;
    // A type that contains itself uses this visit function, which forwards to the final one, while it is being compiled.
    let made: Visit = () => undefined;
    this.#visits.set(type, (value) => made(value));
    made = this.#compile(type);
    this.#visits.set(type, made);
    return made;
  }

  #compile(type: Type): Visit {
    const own = [...this.#rulesOf(type)].sort((a, b) => (a.order ?? 0) - (b.order ?? 0)).map(compileRule);
    const inner = this.#inner(type);
    return (value) => {
      for (const rule of own) rule(value);
      inner(value);
    };
  }

  #inner(type: Type): Visit {
    if (type.items !== undefined && this.reaches(type.items)) {
      const visit = this.visit(type.items);
      return (list) => {
        if (Array.isArray(list)) for (const item of list as unknown[]) if (isContainer(item)) visit(item);
      };
    }
    if (type.values !== undefined && this.reaches(type.values)) {
      const visit = this.visit(type.values);
      return (map) => {
        for (const key of Object.keys(map)) {
          const item = map[key];
          if (isContainer(item)) visit(item);
        }
      };
    }
    const fields = (type.fields ?? [])
      .filter((field) => this.reaches(field.type))
      .map((field) => [field.name, this.visit(field.type)] as const);
    return (object) => {
      for (const [name, visit] of fields) {
        const value = object[name];
        if (isContainer(value)) visit(value);
      }
    };
  }
}

const compilerOf = oncePerObject((rules: DefaultRules) => new Compiler(rules));

/**
 * The defaulter of a type. Its own rules run first, then those of the types in it, depth first in declaration order, as in generated Go
 * defaulters. It changes the object in place. New members are added at the end; canonicalize sorts them. Undefined if no rule applies to
 * the type.
 */
export function compileDefaults(rules: DefaultRules, type: Type): Visit | undefined {
  const compiler = compilerOf(rules);
  return compiler.reaches(type) ? compiler.visit(type) : undefined;
}
