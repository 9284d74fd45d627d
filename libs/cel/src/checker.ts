import { fieldOf } from './decl-type.ts';
import { qualifiedName, type CallExpr, type Comprehension, type Expr } from './ast.ts';
import type { Checked, ResolvedCall } from './checked.ts';
import { CompileError, type Issue } from './issues.ts';
import { functions } from './library/index.ts';
import { literalIssues } from './literal-checks.ts';
import type { Overload } from './overload.ts';
import * as types from './types.ts';
import { formatType, isDynOrError, isOptional, mostGeneral, sameType, Substitutions, type CelType } from './types.ts';

/** Types are values too: their names are variables. */
export const typeNames: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ...[types.bool, types.int, types.uint, types.double, types.string, types.bytes].map((t): [string, CelType] => [
    t.name,
    t,
  ]),
  ['list', types.list(types.dyn)],
  ['map', types.map(types.dyn, types.dyn)],
  ['null_type', types.nullType],
  ['type', types.typeOf()],
  ['optional_type', types.optional(types.dyn)],
  ['google.protobuf.Timestamp', types.timestamp],
  ['google.protobuf.Duration', types.duration],
  ['net.IP', types.opaque('net.IP')],
  ['net.CIDR', types.opaque('net.CIDR')],
]);

type Scope = ReadonlyMap<string, CelType>;

/** The messages that an expression may construct: `Name{field: value}`. */
export interface StructTypes {
  /** Undefined if the message does not exist. */
  typeOf(name: string): CelType | undefined;
  /** Undefined if the message does not have the field. */
  fieldType(name: string, field: string): CelType | undefined;
}
const noStructs: StructTypes = { typeOf: () => undefined, fieldType: () => undefined };

/**
 * Checks the types of an expression. `variables` are its free variables. A dotted variable name stands for the whole qualified name in the
 * expression. Throws CompileError.
 */
export function check(
  source: string,
  expr: Expr,
  variables: ReadonlyMap<string, CelType>,
  structs: StructTypes = noStructs,
  mixedLiterals = false,
): Checked {
  const checker = new Checker(variables, structs);
  const type = checker.check(expr, new Map());
  if (checker.issues.length > 0) throw new CompileError(source, checker.issues);
  const found = new Map([...checker.found].map(([e, t]) => [e, checker.final(t)]));
  const issues = literalIssues({ expr, types: found, calls: checker.calls }, mixedLiterals);
  if (issues.length > 0) throw new CompileError(source, issues);
  return { expr, type: checker.final(type), types: found, calls: checker.calls, variables: checker.used };
}

class Checker {
  readonly issues: Issue[] = [];
  readonly found = new Map<Expr, CelType>();
  readonly calls = new Map<CallExpr, ResolvedCall>();
  readonly used = new Set<string>();
  readonly #variables: ReadonlyMap<string, CelType>;
  readonly #substitutions = new Substitutions();
  readonly #structs: StructTypes;

  constructor(variables: ReadonlyMap<string, CelType>, structs: StructTypes) {
    this.#variables = variables;
    this.#structs = structs;
  }

  final(type: CelType): CelType {
    return this.#substitutions.apply(type, true);
  }

  check(expr: Expr, scope: Scope): CelType {
    const type = this.#typeOf(expr, scope);
    this.found.set(expr, type);
    return type;
  }

  #typeOf(expr: Expr, scope: Scope): CelType {
    switch (expr.kind) {
      case 'const':
        return expr.type;
      case 'ident':
        return this.#known(expr.name, scope) ?? this.#fail(expr.at, undeclared(expr.name, expr.rooted));
      case 'select':
        return this.#select(expr, scope);
      case 'call':
        return this.#call(expr, scope);
      case 'list':
        return types.list(this.#joined(expr.elements, scope, (e) => e.value));
      case 'map': {
        const key = this.#joined(
          expr.entries.map((e) => ({ ...e, optional: false })),
          scope,
          (e) => e.key,
        );
        return types.map(
          key,
          this.#joined(expr.entries, scope, (e) => e.value),
        );
      }
      case 'struct':
        return this.#struct(expr, scope);
      case 'comprehension':
        return this.#comprehension(expr, scope);
    }
  }

  #fail(at: number, message: string): CelType {
    this.issues.push({ at, message });
    return types.errorType;
  }

  #known(name: string, scope: Scope): CelType | undefined {
    const local = scope.get(name);
    if (local !== undefined) return local;
    const free = this.#variables.get(name);
    if (free !== undefined) {
      this.used.add(name);
      return free;
    }
    const type = typeNames.get(name);
    return type === undefined ? undefined : types.typeOf(type);
  }
  #ident(name: string, at: number, scope: Scope): CelType {
    return this.#known(name, scope) ?? this.#fail(at, undeclared(name));
  }

  #select(expr: Expr & { kind: 'select' }, scope: Scope): CelType {
    const qualified = qualifiedName(expr);
    const root = qualified?.split('.')[0] ?? '';
    const isName = qualified !== undefined && (typeNames.has(qualified) || this.#variables.has(qualified));
    if (isName && !scope.has(root) && !expr.testOnly) return this.#ident(qualified, expr.at, scope);
    const operand = this.#substitutions.apply(this.check(expr.operand, scope), false);
    const type = this.#field(expr.at, operand, expr.field, false);
    return expr.testOnly ? types.bool : type;
  }

  #struct(expr: Expr & { kind: 'struct' }, scope: Scope): CelType {
    const type = this.#structs.typeOf(expr.name);
    if (type === undefined) return this.#fail(expr.at, undeclared(expr.name, expr.rooted));
    for (const { name, value, optional, at } of expr.fields) {
      const given = this.#substitutions.apply(this.check(value, scope), false);
      const wanted = this.#structs.fieldType(expr.name, name);
      if (wanted === undefined) this.#fail(at, `undefined field '${name}'`);
      else if (!this.#substitutions.assignAll([given], [optional ? types.optional(wanted) : wanted]))
        this.#fail(
          at,
          `expected type of field '${name}' is '${formatType(wanted)}' but provided type is '${formatType(given)}'`,
        );
    }
    return type;
  }

  #field(at: number, operand: CelType, name: string, optional: boolean): CelType {
    const wrapped = isOptional(operand);
    const target = wrapped ? (operand.params[0] ?? types.dyn) : operand;
    const type = this.#fieldType(at, target, name);
    return wrapped || optional ? types.optional(type) : type;
  }
  #fieldType(at: number, target: CelType, name: string): CelType {
    if (target.kind === 'map') return target.params[1] ?? types.dyn;
    if (target.kind === 'object' && target.decl === undefined) return types.dyn;
    if (target.kind === 'object')
      return fieldOf(target.decl, name)?.decl.celType ?? this.#fail(at, `undefined field '${name}'`);
    if (target.kind === 'param') {
      this.#substitutions.assignAll([types.dyn], [target]);
      return types.dyn;
    }
    // In cel-go, the types of Kubernetes are objects without a declaration; the types of addresses are not objects.
    if (target.kind === 'opaque' && target.name.startsWith('kubernetes.'))
      this.#fail(at, `unexpected failed resolution of '${formatType(target)}'`);
    else if (!isDynOrError(target)) this.#fail(at, `type '${formatType(target)}' does not support field selection`);
    return types.dyn;
  }

  #call(expr: CallExpr, scope: Scope): CelType {
    if (expr.fn === '_?._') return this.#optionalSelect(expr, scope);
    const namespaced = expr.target && qualifiedName(expr.target);
    const qualified = namespaced === undefined ? undefined : `${namespaced}.${expr.fn}`;
    const isNamespaced = qualified !== undefined && this.#isKnown(qualified);
    const fn = isNamespaced ? qualified : expr.fn;
    const target = isNamespaced ? undefined : expr.target;
    const args = target === undefined ? expr.args : [target, ...expr.args];
    const argTypes = args.map((a) => this.check(a, scope));
    const overloads = functions.get(fn);
    if (overloads === undefined) return this.#fail(expr.at, undeclared(fn, expr.rooted));
    if (fn === '_&&_' || fn === '_||_') {
      // Errors are reported for each operand, because it may be one of many in a chain.
      const fits = args.map((arg, i) => this.#expect(arg, argTypes[i] ?? types.dyn, types.bool));
      if (fits.includes(false)) return types.errorType;
    }
    const resolved = this.#resolve(overloads, argTypes, target !== undefined);
    if (resolved === undefined) {
      const shown = argTypes.map((t) => formatType(this.#substitutions.apply(t, true)));
      const call = target === undefined ? `(${shown.join(', ')})` : `${shown[0] ?? ''}.(${shown.slice(1).join(', ')})`;
      return this.#fail(expr.at, `found no matching overload for '${fn}' applied to '${call}'`);
    }
    this.calls.set(expr, { fn, overloads: resolved.overloads, args });
    return resolved.type;
  }

  /** Functions of patches exist only where patches can be constructed. */
  #isKnown(fn: string): boolean {
    return functions.has(fn) && (!fn.startsWith('jsonpatch.') || this.#structs.typeOf('JSONPatch') !== undefined);
  }

  #optionalSelect(expr: CallExpr, scope: Scope): CelType {
    const [operand, name] = expr.args;
    if (operand === undefined || name?.kind !== 'const' || typeof name.value !== 'string') return types.errorType;
    const type = this.#substitutions.apply(this.check(operand, scope), false);
    this.found.set(name, types.string);
    this.calls.set(expr, { fn: expr.fn, overloads: functions.get(expr.fn) ?? [], args: expr.args });
    return this.#field(expr.at, type, name.value, true);
  }

  /** All matching overloads. The type is their common result type, or dyn. */
  #resolve(
    overloads: readonly Overload[],
    argTypes: readonly CelType[],
    member: boolean,
  ): { type: CelType; overloads: Overload[] } | undefined {
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.member !== member || overload.args.length !== argTypes.length) continue;
      const { args, type } = this.#instantiate(overload);
      if (!this.#substitutions.assignAll(argTypes, args)) continue;
      fitting.push(overload);
      const own = this.#substitutions.apply(type, false);
      if (result === undefined) result = own;
      else if (result.kind !== 'dyn' && !sameType(own, result)) result = types.dyn;
    }
    return result === undefined ? undefined : { type: result, overloads: fitting };
  }
  #instantiate(overload: Overload): { args: readonly CelType[]; type: CelType } {
    const names = new Set<string>();
    const collect = (t: CelType): void => {
      if (t.kind === 'param') names.add(t.name);
      t.params.forEach(collect);
    };
    [...overload.args, overload.result].forEach(collect);
    if (names.size === 0) return { args: overload.args, type: overload.result };
    const fresh = new Substitutions(new Map([...names].map((n) => [n, this.#substitutions.fresh()])));
    return { args: overload.args.map((t) => fresh.apply(t, false)), type: fresh.apply(overload.result, false) };
  }

  /** The common type of the members of a literal; dyn if they have none. */
  #joined<T extends { readonly optional: boolean }>(
    items: readonly T[],
    scope: Scope,
    exprOf: (item: T) => Expr,
  ): CelType {
    let joined: CelType | undefined;
    for (const item of items) {
      const expr = exprOf(item);
      let type = this.#substitutions.apply(this.check(expr, scope), false);
      if (item.optional) {
        if (isOptional(type)) type = type.params[0] ?? types.dyn;
        else if (!isDynOrError(type))
          this.#fail(expr.at, `expected type 'optional_type(${formatType(type)})' but found '${formatType(type)}'`);
      }
      if (joined === undefined) joined = type;
      else if (this.#substitutions.assignAll([joined], [type])) joined = mostGeneral(joined, type);
      else joined = types.dyn;
    }
    return joined ?? this.#substitutions.fresh();
  }

  #comprehension(expr: Comprehension, scope: Scope): CelType {
    const range = this.#substitutions.apply(this.check(expr.range, scope), false);
    const accu = this.check(expr.accuInit, scope);
    const [first, second] = this.#iterationTypes(expr, range);
    const iterating = new Map(scope).set(expr.accuVar, accu);
    iterating.set(expr.iterVar, expr.iterVar2 === undefined ? second : first);
    if (expr.iterVar2 !== undefined) iterating.set(expr.iterVar2, second);
    this.#expect(expr.condition, this.check(expr.condition, iterating), types.bool);
    this.#expect(expr.step, this.check(expr.step, iterating), accu);
    const finished = new Map(scope).set(expr.accuVar, accu);
    return this.#substitutions.apply(this.check(expr.result, finished), false);
  }
  /** Whether the expression has the wanted type. If not, it is an error of the expression. */
  #expect(expr: Expr, type: CelType, wanted: CelType): boolean {
    if (this.#substitutions.assignAll([type], [wanted])) return true;
    this.#fail(
      expr.at,
      `expected type '${formatType(this.final(wanted))}' but found '${formatType(this.final(type))}'`,
    );
    return false;
  }
  /** The types of index or key, and value. With one variable, a map is iterated by its keys. */
  #iterationTypes(expr: Comprehension, range: CelType): [CelType, CelType] {
    const two = expr.iterVar2 !== undefined;
    if (range.kind === 'list') return [types.int, range.params[0] ?? types.dyn];
    if (range.kind === 'map') {
      const key = range.params[0] ?? types.dyn;
      return two ? [key, range.params[1] ?? types.dyn] : [key, key];
    }
    if (range.kind === 'param') this.#substitutions.assignAll([types.dyn], [range]);
    else if (!isDynOrError(range)) {
      this.#fail(
        expr.range.at,
        `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
      );
      return [types.errorType, types.errorType];
    }
    return [types.dyn, types.dyn];
  }
}

const undeclared = (name: string, rooted = false) =>
  `undeclared reference to '${rooted ? '.' : ''}${name}' (in container '')`;
