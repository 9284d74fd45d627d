import { deepClone, isContainer, type JsonValue } from '@apichain/meta';
import type { Type } from './type.ts';

/** When a value rule applies: the member is unset; unset or ""; unset or 0; unset or an empty list. */
export type DefaultCondition = 'absent' | 'empty' | 'zero' | 'emptyList';
/** `path` from the type that the rule belongs to, e.g. `spec.ports[*].protocol`; a parent that is unset ends the rule. */
export interface ValueRule {
  readonly path: string;
  readonly when: DefaultCondition;
  readonly value: JsonValue;
  /** Rules of one type run in ascending order; default 0. */
  readonly order?: number;
}

/** What one value cannot say. The function changes the object of the type in place. */
export interface ComputedRule<T extends object = Record<string, unknown>> {
  readonly compute: (object: T) => void;
  readonly order?: number;
}

/** How a field gets its default: a value, or a function of the object around it. */
export type DefaultRule = ValueRule | ComputedRule;

/** Rules by the name of the type they belong to, or by the name of a named map or list (`core.v1.ResourceList`). */
export type DefaultRules = ReadonlyMap<string, readonly DefaultRule[]>;

type Container = Record<string, unknown>;
type Visit = (value: Container) => void;

const conditions: Readonly<Record<DefaultCondition, (value: unknown) => boolean>> = {
  absent: (value) => value === undefined || value === null,
  empty: (value) => value === undefined || value === null || value === '',
  zero: (value) => value === undefined || value === null || value === 0,
  emptyList: (value) => value === undefined || value === null || (Array.isArray(value) && value.length === 0),
};

/** Calls `visit` for every object that the steps lead to; `[*]` stands for each element of a list. */
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

/** Names of the structs whose fields the type shows as its own. */
function embeddedTypes(type: Type): string[] {
  const names = new Set<string>();
  for (const field of type.fields ?? []) {
    for (let at = field.protoEmbedded; at !== undefined; at = at.inner) names.add(at.typeName);
  }
  return [...names];
}

/** Compiles rules for types; types that are shared by kinds are compiled once. */
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

  /** Whether any rule concerns the type or something inside it; the rest of the graph is never walked. */
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
    // A type that contains itself finds this forwarding visit while its own is being made.
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

const compilers = new WeakMap<DefaultRules, Compiler>();

/**
 * The defaulter of a type: its own rules first, then those of the types inside it, depth first in declaration order, as
 * generated Go defaulters run. It changes the object in place; members it adds go last, canonicalize puts them in order.
 * undefined when no rule concerns the type.
 */
export function compileDefaults(rules: DefaultRules, type: Type): Visit | undefined {
  let compiler = compilers.get(rules);
  if (compiler === undefined) {
    compiler = new Compiler(rules);
    compilers.set(rules, compiler);
  }
  return compiler.reaches(type) ? compiler.visit(type) : undefined;
}
