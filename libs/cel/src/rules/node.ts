import { someTypeWithin, type Type, type ValidationRule } from '@apichain/scheme';
import { declType, escapeName } from '../decl-type.ts';
import type { DeclType } from '../types.ts';
import { compileRule, type CompiledRule } from './compile-rule.ts';

/** The rules of a schema node and of its descendants. Each is compiled when a value first needs it, because there may be thousands. */
export class RuleNode {
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

  /** Whether the rule has been compiled, or there is none. */
  isCompiled(i: number): boolean {
    return this.#compiled[i] !== undefined || this.#rules[i] === undefined;
  }

  /** The rules of the node itself, in order. */
  rule(i: number): CompiledRule | undefined {
    const rule = this.#rules[i];
    return rule === undefined ? undefined : (this.#compiled[i] ??= compileRule(rule, this.decl));
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
