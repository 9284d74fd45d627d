import { isRecord, field, type FieldError, type Work } from '@apichain/meta';
import { someTypeWithin, type Type, type ValidationRule } from '@apichain/scheme';
import { CostLimitError } from '../cost.ts';
import { declType, escapeName } from '../decl-type.ts';
import type { DeclType } from '../types.ts';
import { schemaValue } from '../schema-values.ts';
import { EvaluationError, none, Optional, type Value } from '../values.ts';
import { compileRule, type CompiledRule } from './compile-rule.ts';
import { oldItems, own, type Ratchet } from './correlation.ts';

/** The cost limits of one call, and of all rules for one object. */
const perCallLimit = 1_000_000;
const maxMessageBytes = 5 * 1024;
const validationBudget = 10_000_000;
/** Validation yields after this many items, or after a rule of this cost, so that other requests can run. */
const itemsPerStep = 64;
const costPerStep = 10_000;

/** The rules of a schema node and of its descendants. Each is compiled when a value first needs it, because there may be thousands. */
class RuleNode {
  readonly type: Type;
  readonly decl: DeclType;
  readonly #rules: readonly ValidationRule[];
  readonly #compiled: CompiledRule[] = [];
  readonly #fields = new Map<string, RuleNode | undefined>();
  #values: { readonly node: RuleNode | undefined } | undefined;
  #items: { readonly node: RuleNode | undefined } | undefined;

  constructor(type: Type, decl: DeclType) {
    this.type = type;
    this.decl = decl;
    this.#rules = type.rules ?? [];
  }

  /** The rules of the node itself, in order. Yields before it compiles a rule. */
  *rule(i: number): Work<CompiledRule | undefined> {
    const known = this.#compiled[i];
    const rule = this.#rules[i];
    if (known !== undefined || rule === undefined) return known;
    yield;
    return (this.#compiled[i] ??= compileRule(rule, this.decl));
  }

  get values(): RuleNode | undefined {
    this.#values ??= { node: below(this.type.values, this.decl.kind === 'map' ? this.decl.elem : undefined) };
    return this.#values.node;
  }

  get items(): RuleNode | undefined {
    this.#items ??= { node: below(this.type.items, this.decl.elem) };
    return this.#items.node;
  }

  /** Undefined for a field that is not declared, or that contains no rules. */
  field(name: string): RuleNode | undefined {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const type = this.type.byName?.get(name)?.type;
    if (type === undefined || !hasRules(type)) return undefined;
    const escaped = escapeName(name);
    const node =
      escaped === undefined
        ? ruleNode(type, type.embeddedResource === true)
        : below(type, this.decl.fields?.get(escaped)?.decl);
    this.#fields.set(name, node);
    return node;
  }
}

const hasRules = someTypeWithin(({ rules = [] }) => rules.length > 0);

/** The rules of a type; undefined if it contains none. */
export function ruleNode(type: Type, isResourceRoot: boolean): RuleNode | undefined {
  return hasRules(type) ? below(type, declType(type, isResourceRoot)) : undefined;
}

const below = (type: Type | undefined, decl: DeclType | undefined): RuleNode | undefined =>
  type === undefined || decl === undefined || !hasRules(type) ? undefined : new RuleNode(type, decl);

/** One validation: its errors, and the remaining cost budget. A negative budget ends it. */
export class RuleRun {
  readonly errors: FieldError[] = [];
  readonly #forgiven: ((error: FieldError) => void) | undefined;
  #budget = validationBudget;

  constructor(forgiven?: (error: FieldError) => void) {
    this.#forgiven = forgiven;
  }

  /** Validates a value and its members. `path` is '' for a whole object. */
  *validate(node: RuleNode, value: unknown, old: unknown, path: string, ratchet: Ratchet): Work<void> {
    if (value === null || value === undefined) return;
    yield* this.#rules(node, value, old ?? undefined, path, ratchet);
    if (this.#budget < 0) return;
    if (Array.isArray(value)) yield* this.#items(node, value, old, path, ratchet);
    else if (isRecord(value)) yield* this.#entries(node, value, old, path, ratchet);
  }

  *#items(node: RuleNode, list: readonly unknown[], old: unknown, path: string, ratchet: Ratchet): Work<void> {
    if (node.items === undefined) return;
    const find = oldItems(old, node.type);
    for (const [i, item] of list.entries()) {
      if (this.#budget < 0) return;
      if (i % itemsPerStep === 0) yield;
      yield* this.validate(node.items, item, find(item), field.index(path, i), ratchet.index(i));
    }
  }

  *#entries(node: RuleNode, value: Record<string, unknown>, old: unknown, path: string, ratchet: Ratchet): Work<void> {
    let seen = 0;
    for (const [name, item] of Object.entries(value)) {
      if (++seen % itemsPerStep === 0) yield;
      const declared = node.field(name);
      const child = declared ?? (node.type.byName?.has(name) ? undefined : node.values);
      if (child === undefined) continue;
      if (this.#budget < 0) return;
      const at = declared === undefined ? field.key(path, name) : field.child(path, name);
      yield* this.validate(child, item, own(old, name), at, ratchet.key(name));
    }
  }

  *#rules(node: RuleNode, value: unknown, old: unknown, path: string, ratchet: Ratchet): Work<void> {
    const at = path === '' ? '<nil>' : path;
    const problem = (detail: string) => this.errors.push(field.invalid(at, jsonType(node.type), detail));
    for (let i = 0, compiled = yield* node.rule(0); compiled !== undefined; compiled = yield* node.rule(++i)) {
      if (this.#budget <= 0) {
        problem(outOfBudget);
        this.#budget = -1;
        return;
      }
      if (compiled.error !== undefined) {
        problem(`rule compile error: ${compiled.error}`);
        continue;
      }
      if (compiled.program === undefined) continue;
      const optionalOld = compiled.rule.optionalOldSelf === true;
      if (compiled.usesOldSelf && old === undefined && !optionalOld) continue;
      const variables = activation(node.decl, value, old, optionalOld);
      if (variables instanceof EvaluationError) {
        problem(`${variables.message} evaluating rule: ${ruleText(compiled)}`);
        continue;
      }
      const { value: result, error, cost } = compiled.program(variables, perCallLimit);
      if (cost > costPerStep) yield;
      if (cost > this.#budget) {
        problem(outOfBudget);
        this.#budget = -1;
        return;
      }
      this.#budget -= cost;
      if (error instanceof CostLimitError) {
        problem(
          `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(compiled)}`,
        );
        this.#budget = -1;
        return;
      }
      if (error !== undefined) {
        problem(
          error.message.startsWith('no such overload')
            ? `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(compiled)}`
            : `${error.message} evaluating rule: ${ruleText(compiled)}`,
        );
        continue;
      }
      if (result === true) continue;
      this.#broken(compiled, node, value, variables, path, ratchet);
      if (this.#budget < 0) return;
    }
  }

  #broken(
    compiled: CompiledRule,
    node: RuleNode,
    value: unknown,
    variables: ReadonlyMap<string, Value>,
    path: string,
    ratchet: Ratchet,
  ): void {
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
  #message(compiled: CompiledRule, variables: ReadonlyMap<string, Value>): { text?: string; fatal?: string } {
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

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** The variables of an expression. An error if a value does not have the format that its schema declares. */
function activation(
  decl: DeclType,
  value: unknown,
  old: unknown,
  optionalOld: boolean,
): ReadonlyMap<string, Value> | EvaluationError {
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
