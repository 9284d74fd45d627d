import { isRecord, field, type FieldError, type SteppedWork } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { CostLimitError } from '../cost.ts';
import type { DeclType } from '../types.ts';
import { schemaValue } from '../schema-values.ts';
import { EvaluationError, none, Optional, type Value } from '../values.ts';
import type { CompiledRule } from './compile-rule.ts';
import { oldItems, own, type Ratchet } from './correlation.ts';
import type { RuleNode } from './node.ts';

/** The cost limits of one call, and of all rules for one object. */
const perCallLimit = 1_000_000;
const maxMessageBytes = 5 * 1024;
const validationBudget = 10_000_000;
/** A step is a value, a rule, or this cost of a rule: a microsecond or less. Compiling a rule may take a millisecond. */
const costPerStep = 20;
const stepsPerCompilation = 500;

/** A value with rules, or with members that have rules. `path` is '' for a whole object. */
export interface RulePlace {
  readonly node: RuleNode;
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
  readonly ratchet: Ratchet;
}

/** One validation: its errors, and the remaining cost budget. A negative budget ends it. */
export class RuleRun implements SteppedWork {
  readonly errors: FieldError[] = [];
  readonly #forgiven: ((error: FieldError) => void) | undefined;
  #budget = validationBudget;
  /** The value whose rules are evaluated, and the index of the next rule. */
  #place: RulePlace | undefined;
  #next = 0;
  /** The members that follow: of the innermost list or map at the end. */
  readonly #open: Iterator<RulePlace, undefined>[] = [];

  /** Validates a value and its members. `forgiven` is called for violations that the old value has too. */
  constructor(place: RulePlace, forgiven?: (error: FieldError) => void) {
    this.#place = isAbsent(place.value) ? undefined : place;
    this.#forgiven = forgiven;
  }

  advance(steps: number): boolean {
    for (let left = steps; left > 0 && this.#budget >= 0; left--) {
      const place = this.#place;
      if (place === undefined) return true;
      const i = this.#next++;
      if (!place.node.isCompiled(i)) left -= stepsPerCompilation;
      const rule = place.node.rule(i);
      if (rule === undefined) this.#goOn(place);
      else left -= this.#evaluate(rule, place) / costPerStep;
    }
    return this.#place === undefined || this.#budget < 0;
  }

  /** Goes to the first member of the value, or else to what follows it. */
  #goOn(place: RulePlace): void {
    this.#next = 0;
    this.#place = undefined;
    this.#open.push(membersOf(place));
    for (let members = this.#open.at(-1); members !== undefined; members = this.#open.at(-1)) {
      this.#place = members.next().value;
      if (this.#place !== undefined) return;
      this.#open.pop();
    }
  }

  /** Returns the cost. */
  #evaluate(compiled: CompiledRule, place: RulePlace): number {
    const { node, value, path } = place;
    const old = place.old ?? undefined;
    const problem = (detail: string) =>
      this.errors.push(field.invalid(path === '' ? '<nil>' : path, jsonType(node.type), detail));
    if (this.#budget <= 0) {
      problem(outOfBudget);
      this.#budget = -1;
      return 0;
    }
    if (compiled.error !== undefined) {
      problem(`rule compile error: ${compiled.error}`);
      return 0;
    }
    if (compiled.program === undefined) return 0;
    const optionalOld = compiled.rule.optionalOldSelf === true;
    if (compiled.usesOldSelf && old === undefined && !optionalOld) return 0;
    const variables = activation(node.decl, value, old, optionalOld);
    if (variables instanceof EvaluationError) {
      problem(`${variables.message} evaluating rule: ${ruleText(compiled)}`);
      return 0;
    }
    const { value: result, error, cost } = compiled.program(variables, perCallLimit);
    if (cost > this.#budget) {
      problem(outOfBudget);
      this.#budget = -1;
      return cost;
    }
    this.#budget -= cost;
    if (error instanceof CostLimitError) {
      problem(
        `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(compiled)}`,
      );
      this.#budget = -1;
    } else if (error !== undefined) {
      problem(
        error.message.startsWith('no such overload')
          ? `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(compiled)}`
          : `${error.message} evaluating rule: ${ruleText(compiled)}`,
      );
    } else if (result !== true) this.#broken(compiled, place, variables);
    return cost;
  }

  #broken(compiled: CompiledRule, { node, value, path, ratchet }: RulePlace, variables: Variables): void {
    const isForgiven = !compiled.usesOldSelf && ratchet.forgives;
    if (isForgiven && this.#forgiven === undefined) return;
    const add = (error: FieldError) => (isForgiven ? this.#forgiven?.(error) : this.errors.push(error));
    const below = compiled.fieldPath === '' ? path : field.child(path, compiled.fieldPath);
    const at = below === '' ? '<nil>' : below;
    const message = this.#message(compiled, variables);
    if (message.fatal !== undefined) {
      add(field.invalid(at, jsonType(node.type), message.fatal));
      this.#budget = -1;
      return;
    }
    add(errorFor(compiled.rule.reason, at, value, node.type, message.text ?? defaultMessage(compiled)));
  }

  /** The result of the message expression; empty if it fails or the text is not usable. */
  #message(compiled: CompiledRule, variables: Variables): { text?: string; fatal?: string } {
    if (compiled.messageExpression === undefined) return {};
    const { value, error, cost } = compiled.messageExpression(variables, perCallLimit);
    if (cost > this.#budget)
      return {
        fatal:
          'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      };
    if (error instanceof CostLimitError)
      return {
        fatal: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(compiled.rule.messageExpression)}`,
      };
    this.#budget -= cost;
    if (typeof value !== 'string') return {};
    const text = value.trim();
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? {} : { text };
  }
}

const isAbsent = (value: unknown): boolean => value === null || value === undefined;

/** The members of a value that have rules, or members with rules. */
function* membersOf({ node, value, old, path, ratchet }: RulePlace): Generator<RulePlace, undefined> {
  if (Array.isArray(value)) {
    if (node.items === undefined) return;
    const find = oldItems(old, node.type);
    for (const [i, item] of value.entries())
      if (!isAbsent(item))
        yield {
          ...{ node: node.items, value: item, old: find(item) },
          ...{ path: field.index(path, i), ratchet: ratchet.index(i) },
        };
  } else if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) {
      const declared = node.field(name);
      const child = declared ?? (node.type.byName?.has(name) ? undefined : node.values);
      if (child === undefined || isAbsent(member)) continue;
      const at = declared === undefined ? field.key(path, name) : field.child(path, name);
      yield { node: child, value: member, old: own(old, name), path: at, ratchet: ratchet.key(name) };
    }
  }
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

type Variables = ReadonlyMap<string, Value>;

/** The variables of an expression. An error if a value does not have the format that its schema declares. */
function activation(decl: DeclType, value: unknown, old: unknown, optionalOld: boolean): Variables | EvaluationError {
  try {
    const variables = new Map<string, Value>([['self', schemaValue(value, decl)]]);
    const before = old === undefined ? undefined : schemaValue(old, decl);
    if (optionalOld) variables.set('oldSelf', before === undefined ? none : new Optional(before));
    else if (before !== undefined) variables.set('oldSelf', before);
    return variables;
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

const ruleText = ({ rule }: CompiledRule) => (rule.message ? rule.message.trim() : rule.rule.trim());
const defaultMessage = ({ rule }: CompiledRule) =>
  rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`;

const jsonTypes: Readonly<Partial<Record<Type['kind'], string>>> = { intOrString: '', json: '', map: 'object' };
const jsonType = (type: Type): string => jsonTypes[type.kind] ?? type.kind;

/** The field error of a violated rule. Its message does not show objects and lists. */
function errorFor(reason: string | undefined, at: string, value: unknown, type: Type, detail: string): FieldError {
  const omitted = ['object', 'array'].includes(jsonType(type));
  switch (reason) {
    case 'FieldValueForbidden':
      return field.forbidden(at, detail);
    case 'FieldValueRequired':
      return field.required(at, detail);
    case 'FieldValueDuplicate':
      return omitted ? { reason, field: at, message: 'Duplicate value' } : field.duplicate(at, value);
    default:
      return omitted
        ? { reason: 'FieldValueInvalid', field: at, message: `Invalid value: ${detail}` }
        : field.invalid(at, value, detail);
  }
}
