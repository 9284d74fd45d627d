import { qualifiedName, type CallExpr, type Comprehension, type Expr } from './ast.ts';
import type { Checked, ResolvedCall } from './checked.ts';
import { typeNames } from './checker.ts';
import { callCost, CostLimitError } from './cost.ts';
import { optionalEntry } from './library/collections.ts';
import { patternProblem } from '@apichain/schema';
import { listIndex, mapEntry, noSuchKey } from './library/operators.ts';
import { accepts, asBool, typeName } from './overload.ts';
import {
  ArrayList,
  EntryMap,
  EvaluationError,
  GrowingList,
  ListValue,
  MapValue,
  noSuchOverload,
  Optional,
  StructValue,
  TypeValue,
  Uint,
  type Value,
} from './values.ts';

/** The state of one evaluation: the variables by slot, and the cost so far. */
class Frame {
  readonly slots: (Value | EvaluationError)[] = [];
  readonly variables: ReadonlyMap<string, Value>;
  readonly #limit: number;
  cost = 0;
  constructor(variables: ReadonlyMap<string, Value>, limit: number) {
    this.variables = variables;
    this.#limit = limit;
  }
  charge(amount: number): void {
    this.cost += amount;
    if (this.cost > this.#limit) throw new CostLimitError();
  }
}
type Run = (frame: Frame) => Value;

/** The result of an evaluation; `cost` is in cel-go's units. */
export interface Outcome {
  readonly cost: number;
  readonly value?: Value;
  readonly error?: EvaluationError | CostLimitError;
}

/** A compiled expression. Each call is one evaluation that stops when its cost exceeds `costLimit`. */
export type Program = (variables: ReadonlyMap<string, Value>, costLimit: number) => Outcome;

/** A valid expression of which no program can be made. */
export class InstantiationError extends Error {
  override readonly name = 'InstantiationError';
}

/**
 * Compiles a checked expression to closures. The program never throws: errors are part of its outcome. Throws InstantiationError if a
 * literal regular expression is invalid.
 */
export function program(checked: Checked): Program {
  const run = new Compiler(checked).compile(checked.expr, new Map());
  return (variables, costLimit) => {
    const frame = new Frame(variables, costLimit);
    try {
      return { value: run(frame), cost: frame.cost };
    } catch (error) {
      if (error instanceof EvaluationError || error instanceof CostLimitError) return { error, cost: frame.cost };
      if (error instanceof RangeError) return { error: new EvaluationError(error.message), cost: frame.cost };
      throw error;
    }
  };
}

type Slots = ReadonlyMap<string, number>;

class Compiler {
  readonly #checked: Checked;
  /** Values that are known before evaluation, which are free. */
  readonly #constants = new Map<Run, Value>();
  constructor(checked: Checked) {
    this.#checked = checked;
  }

  #constant(value: Value): Run {
    const run = () => value;
    this.#constants.set(run, value);
    return run;
  }
  /** Undefined if one of them is not constant. */
  #constantsOf(runs: readonly Run[]): Value[] | undefined {
    const values = runs.flatMap((run) => this.#constants.get(run) ?? (this.#constants.has(run) ? [null] : []));
    return values.length === runs.length ? values : undefined;
  }

  compile(expr: Expr, slots: Slots): Run {
    switch (expr.kind) {
      case 'const':
        return this.#constant(expr.value);
      case 'ident':
        return this.#ident(expr.name, slots);
      case 'select':
        return this.#select(expr, slots);
      case 'call':
        return this.#call(expr, slots);
      case 'list': {
        const items = expr.elements.map((e) => ({ run: this.compile(e.value, slots), optional: e.optional }));
        const known = items.some((i) => i.optional) ? undefined : this.#constantsOf(items.map((i) => i.run));
        if (known !== undefined) return this.#constant(new ArrayList(known));
        return (frame) => {
          const values = items.flatMap((item) => present(item.run(frame), item.optional));
          frame.charge(10);
          return new GrowingList(values);
        };
      }
      case 'map':
        return this.#map(expr, slots);
      case 'comprehension':
        return this.#comprehension(expr, slots);
      case 'struct':
        return this.#struct(expr, slots);
    }
  }

  #ident(name: string, slots: Slots): Run {
    const isType = typeNames.has(name) && !slots.has(name) && !this.#checked.variables.has(name);
    return isType ? this.#constant(new TypeValue(name)) : ident(name, slots);
  }

  #struct({ name, fields }: Expr & { kind: 'struct' }, slots: Slots): Run {
    const runs = fields.map((f) => ({ name: f.name, optional: f.optional, run: this.compile(f.value, slots) }));
    return (frame) => {
      const values = runs.flatMap((f) => present(f.run(frame), f.optional).map((v): [string, Value] => [f.name, v]));
      frame.charge(40);
      return new StructValue(name, new Map(values));
    };
  }

  #select(expr: Expr & { kind: 'select' }, slots: Slots): Run {
    const name = qualifiedName(expr);
    if (name !== undefined && typeNames.has(name)) return this.#constant(new TypeValue(name));
    const isVariable = name !== undefined && this.#checked.variables.has(name) && !slots.has(name.split('.')[0] ?? '');
    if (isVariable && !expr.testOnly) return ident(name, slots);
    const operand = this.compile(expr.operand, slots);
    const { field } = expr;
    if (expr.testOnly) return (frame) => isPresent(operand(frame), field);
    return (frame) => {
      const value = operand(frame);
      frame.charge(1);
      return value instanceof MapValue ? mapEntry(value, field) : entryOf(value, field);
    };
  }

  #map(expr: Expr & { kind: 'map' }, slots: Slots): Run {
    const entries = expr.entries.map((e) => ({
      key: this.compile(e.key, slots),
      value: this.compile(e.value, slots),
      optional: e.optional,
    }));
    const keys = this.#constantsOf(entries.map((e) => e.key));
    const known = entries.some((e) => e.optional) ? undefined : this.#constantsOf(entries.map((e) => e.value));
    if (keys !== undefined && known !== undefined) {
      const map = new EntryMap(keys.map((key, i) => [key, known[i] ?? null]));
      if (map.size === keys.length) return this.#constant(map);
    }
    return (frame) => {
      const values = entries.flatMap((e): [Value, Value][] => {
        const key = e.key(frame);
        return present(e.value(frame), e.optional).map((v) => [key, v]);
      });
      frame.charge(30);
      const map = new EntryMap(values);
      if (map.size < values.length) throw new EvaluationError('Failed with repeated key');
      return map;
    };
  }

  #call(expr: CallExpr, slots: Slots): Run {
    const call = this.#checked.calls.get(expr);
    if (call === undefined) throw new Error(`${expr.fn} was not resolved by the type checker`);
    const args = call.args.map((a, i) => {
      // A variable that is a branch of a conditional is free.
      const isFree = call.fn === '_?_:_' && i > 0 && a.kind === 'ident' && slots.has(a.name);
      return isFree ? ident(a.name, slots, 0) : this.compile(a, slots);
    });
    const [first, second, third] = args;
    if (searches.has(call.fn)) checkPattern(call.args[1]);
    if (first !== undefined) {
      if (call.fn === '@not_strictly_false') return notStrictlyFalse(first);
      if (second !== undefined) {
        if (call.fn === '_&&_') return logical(first, second, false);
        if (call.fn === '_||_') return logical(first, second, true);
        if (call.fn === 'or' || call.fn === 'orValue') return orElse(first, second, call.fn === 'orValue');
        if (call.fn === '_?_:_')
          if (third !== undefined) return (frame) => (asBool(first(frame)) ? second(frame) : third(frame));
      }
    }
    const known = this.#constantsOf(args);
    if (known?.length === 1 && conversions.has(call.fn)) return this.#converted(call, args);
    const isFreeSearch = call.fn === '@in' && second !== undefined && this.#constants.has(second);
    return dispatch(call, args, isFreeSearch);
  }

  /** Throws InstantiationError if the constant cannot be converted. */
  #converted(call: ResolvedCall, args: readonly Run[]): Run {
    try {
      return this.#constant(dispatch(call, args)(new Frame(new Map(), Infinity)));
    } catch (error) {
      if (error instanceof EvaluationError) throw new InstantiationError(error.message);
      throw error;
    }
  }

  #comprehension(expr: Comprehension, slots: Slots): Run {
    const range = this.compile(expr.range, slots);
    const init = this.compile(expr.accuInit, slots);
    const accuSlot = slots.size;
    const inner = new Map(slots).set(expr.accuVar, accuSlot);
    // Slots are numbered by the size of the map, which does not grow if a name shadows another. The placeholder entries make it grow, so
    // that the shadowed name keeps its slot in the outer scope.
    const unused = new Map(inner).set(`#${accuSlot}`, -1);
    const firstSlot = unused.size;
    const iterating = new Map(unused).set(expr.iterVar, firstSlot).set(`#${firstSlot}`, -1);
    const secondSlot = iterating.size + 1;
    if (expr.iterVar2 !== undefined) iterating.set(expr.iterVar2, secondSlot);
    iterating.set(`#${secondSlot}`, -1).set(`##${secondSlot}`, -1);
    const condition = this.compile(expr.condition, iterating);
    const step = this.compile(expr.step, iterating);
    const result = this.compile(expr.result, unused);
    const two = expr.iterVar2 !== undefined;
    return (frame) => {
      const over = range(frame);
      frame.slots[accuSlot] = init(frame);
      for (const [first, second] of iteration(over, two)) {
        frame.slots[firstSlot] = first;
        if (two) frame.slots[secondSlot] = second;
        if (condition(frame) === false) break;
        frame.slots[accuSlot] = attempt(step, frame);
      }
      return result(frame);
    };
  }
}

const conversions: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);
const searches: ReadonlySet<string> = new Set(['find', 'findAll', 'matches']);
function checkPattern(expression: Expr | undefined): void {
  if (expression?.kind !== 'const' || typeof expression.value !== 'string') return;
  const problem = patternProblem(expression.value);
  if (problem !== undefined) throw new InstantiationError(problem);
}

function* iteration(over: Value, two: boolean): IterableIterator<[Value, Value]> {
  if (over instanceof ListValue) {
    for (let i = 0; i < over.size; i++) yield two ? [BigInt(i), over.at(i)] : [over.at(i), null];
  } else if (over instanceof MapValue) {
    for (const key of over.keys()) yield [key, two ? (over.get(key) ?? null) : null];
  } else throw noSuchOverload();
}

/** The accumulator may be an error: `all` and `exists` ignore it if another item decides the result. */
function attempt(run: Run, frame: Frame): Value | EvaluationError {
  try {
    return run(frame);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

function ident(name: string, slots: Slots, cost = 1): Run {
  const slot = slots.get(name);
  if (slot !== undefined)
    return (frame) => {
      const value = frame.slots[slot];
      frame.charge(cost);
      if (value instanceof EvaluationError) throw value;
      return value ?? null;
    };
  return (frame) => {
    const value = frame.variables.get(name);
    frame.charge(1);
    if (value !== undefined) return value;
    throw new EvaluationError(`no such attribute(s): ${name}`);
  };
}

const badListIndex = (index: Value) => new EvaluationError(`unsupported index type '${typeName(index)}' in list`);

/**
 * An entry of a value whose type is only known at run time. A value without entries does not have the key. Source: refQualify of
 * cel-go/interpreter.
 */
function entryOf(container: Value, key: Value): Value {
  if (container instanceof MapValue) return mapEntry(container, key);
  if (container instanceof Optional) return optionalEntry(container, key);
  if (!(container instanceof ListValue)) throw noSuchKey(key);
  if (typeof key !== 'bigint' && typeof key !== 'number' && !(key instanceof Uint)) throw badListIndex(key);
  const index = Number(key instanceof Uint ? key.value : key);
  if (!Number.isSafeInteger(index)) throw new EvaluationError(`unsupported index value ${index} in list`);
  return listIndex(container, BigInt(index));
}

function present(value: Value, optional: boolean): Value[] {
  if (!optional || !(value instanceof Optional)) return [value];
  return value.value === undefined ? [] : [value.value];
}

function isPresent(value: Value, field: string): boolean {
  if (value instanceof Optional) return value.value !== undefined && isPresent(value.value, field);
  if (value instanceof ListValue) throw badListIndex(field);
  return value instanceof MapValue && value.get(field) !== undefined;
}

/** `&&` (decided by false) and `||` (by true): if one operand decides the result, an error of the other is ignored. */
function logical(left: Run, right: Run, decisive: boolean): Run {
  return (frame) => {
    const first = attempt(left, frame);
    if (first === decisive) return decisive;
    const second = attempt(right, frame);
    if (second === decisive) return decisive;
    if (first instanceof EvaluationError) throw first;
    if (second instanceof EvaluationError) throw second;
    if (typeof first !== 'boolean' || typeof second !== 'boolean') throw noSuchOverload();
    return !decisive;
  };
}
const notStrictlyFalse =
  (run: Run): Run =>
  (frame) => {
    const value = attempt(run, frame);
    frame.charge(1);
    return value !== false;
  };

function orElse(optional: Run, other: Run, unwrap: boolean): Run {
  return (frame) => {
    const value = optional(frame);
    if (!(value instanceof Optional)) throw noSuchOverload();
    if (value.value === undefined) return other(frame);
    return unwrap ? value.value : value;
  };
}

function dispatch({ fn, overloads }: ResolvedCall, args: readonly Run[], isFree = false): Run {
  const [only, ...others] = overloads;
  return (frame) => {
    const values = args.map((a) => a(frame));
    const chosen =
      others.length === 0 ? only : overloads.find((o) => o.args.every((t, i) => accepts(t, values[i] ?? null)));
    if (chosen === undefined && fn === '_[_]') return entryOf(values[0] ?? null, values[1] ?? null);
    if (chosen === undefined)
      throw noSuchOverload(/^[_@!-]/.test(fn) ? undefined : `${fn}(${values.map(typeName).join(', ')})`);
    const result = chosen.run(...values);
    if (!isFree) frame.charge(callCost(fn, chosen.id, values, result));
    return result;
  };
}
