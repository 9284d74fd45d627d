import * as field from './field-error.ts';
import type { FieldError } from './field-error.ts';
import { parseRequirements } from './label-selector-parser.ts';
import { isQualifiedName, isValidLabelValue } from './names.ts';
import { SelectorError } from './selector-error.ts';

/** Operators as the text form spells them; `exists` is the bare key and `!` the key with an exclamation mark. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'gt' | 'lt' | 'exists' | '!';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, without repetition. */
  readonly values: readonly string[];
}

/** meta/v1 LabelSelector, the object form in specs. */
export interface LabelSelectorObject {
  matchLabels?: Readonly<Record<string, string>> | null;
  matchExpressions?: readonly LabelSelectorRequirementObject[] | null;
}
export interface LabelSelectorRequirementObject {
  key: string;
  operator: string;
  values?: readonly string[] | null;
}

type Labels = Readonly<Record<string, string>>;

const int64Text = /^[+-]?[0-9]+$/;
function parseInt64(text: string): bigint | undefined {
  if (!int64Text.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function compareNumerically(label: string, requirement: LabelRequirement): boolean {
  const left = parseInt64(label);
  const right = parseInt64(requirement.values[0] ?? '');
  if (left === undefined || right === undefined) return false;
  return requirement.operator === 'gt' ? left > right : left < right;
}

function requirementMatches(requirement: LabelRequirement, labels: Labels | undefined): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && requirement.values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !requirement.values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt':
      return value !== undefined && compareNumerically(value, requirement);
  }
}

const symbols: Readonly<Record<LabelOperator, string>> = {
  '=': '=',
  '==': '==',
  '!=': '!=',
  in: ' in ',
  notin: ' notin ',
  gt: '>',
  lt: '<',
  exists: '',
  '!': '',
};

function requirementText({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  const list = values.join(',');
  return `${key}${symbols[operator]}${operator === 'in' || operator === 'notin' ? `(${list})` : list}`;
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * What a set of labels must satisfy: all requirements at once. Immutable.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export class LabelSelector {
  /** Sorted by key. Empty for both extremes: see `empty` and `nothing`. */
  readonly requirements: readonly LabelRequirement[];
  /** The selector of an absent meta/v1 LabelSelector: it matches no object at all. */
  readonly nothing: boolean;

  constructor(requirements: readonly LabelRequirement[] = [], nothing = false) {
    this.requirements = requirements.toSorted((a, b) => compareText(a.key, b.key));
    this.nothing = nothing;
  }
  /** True when every object matches. */
  get empty(): boolean {
    return !this.nothing && this.requirements.length === 0;
  }
  matches(labels: Labels | undefined): boolean {
    if (this.nothing) return false;
    for (const requirement of this.requirements) {
      if (!requirementMatches(requirement, labels)) return false;
    }
    return true;
  }
  /** The one value that the label must have, when there is exactly one. */
  requiresExactMatch(key: string): string | undefined {
    const requirement = this.requirements.find((r) => r.key === key);
    if (requirement === undefined || !['=', '==', 'in'].includes(requirement.operator)) return undefined;
    return requirement.values.length === 1 ? requirement.values[0] : undefined;
  }
  /** The canonical text; parsing it gives an equal selector. */
  toString(): string {
    return this.requirements.map(requirementText).join(',');
  }
}

export const everythingLabelSelector = new LabelSelector();
export const nothingLabelSelector = new LabelSelector([], true);

function countErrors(operator: LabelOperator, values: readonly string[], path: string): FieldError[] {
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0
        ? []
        : [field.invalid(path, values, "for 'in', 'notin' operators, values set can't be empty")];
    case '=':
    case '==':
    case '!=':
      return values.length === 1
        ? []
        : [field.invalid(path, values, 'exact-match compatibility requires one single value')];
    case 'exists':
    case '!':
      return values.length === 0
        ? []
        : [field.invalid(path, values, 'values set must be empty for exists and does not exist')];
    case 'gt':
    case 'lt':
      return [
        ...(values.length === 1
          ? []
          : [field.invalid(path, values, "for 'Gt', 'Lt' operators, exactly one value is required")]),
        ...values.flatMap((value, i) =>
          parseInt64(value) !== undefined
            ? []
            : [field.invalid(field.index(path, i), value, "for 'Gt', 'Lt' operators, the value must be an integer")],
        ),
      ];
  }
}

/** Checks and builds one requirement as labels.NewRequirement does. Throws SelectorError. */
export function newLabelRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[] = [],
): LabelRequirement {
  const errors: FieldError[] = [];
  const keyMessages = isQualifiedName(key);
  if (keyMessages.length > 0) errors.push(field.invalid('key', key, keyMessages.join('; ')));
  errors.push(...countErrors(operator, values, 'values'));
  values.forEach((value, i) => {
    const messages = isValidLabelValue(value);
    if (messages.length > 0)
      errors.push(field.invalid(field.key(field.index('values', i), key), value, messages.join('; ')));
  });
  if (errors.length > 0) throw new SelectorError(field.aggregateFieldErrors(errors));
  return { key, operator, values };
}

/**
 * Reads the text form (`labelSelector=` of a list): `=`, `==`, `!=`, `in`, `notin`, a bare key, `!key`, `<` and `>`.
 * Throws SelectorError with the message of labels.Parse (k8s.io/apimachinery/pkg/labels).
 */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === '') return everythingLabelSelector;
  return new LabelSelector(parseRequirements(text, newLabelRequirement));
}

const objectOperators = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

function requirementFromObject(expression: LabelSelectorRequirementObject): LabelRequirement {
  const operator = objectOperators.get(expression.operator);
  if (operator === undefined) {
    throw new SelectorError(`${field.formatBadValue(expression.operator)} is not a valid label selector operator`);
  }
  return newLabelRequirement(expression.key, operator, [...new Set(expression.values ?? [])].sort(compareText));
}

/**
 * The object form of specs: absent selects nothing, empty selects everything. Throws SelectorError.
 * Source: metav1.LabelSelectorAsSelector.
 */
export function labelSelectorFromObject(selector: LabelSelectorObject | null | undefined): LabelSelector {
  if (selector === null || selector === undefined) return nothingLabelSelector;
  const exact = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    newLabelRequirement(key, '=', [value]),
  );
  return new LabelSelector([...exact, ...(selector.matchExpressions ?? []).map(requirementFromObject)]);
}

/** A selector that a plain map spells: each label has exactly the given value. Nothing is checked. */
export function labelSelectorFromSet(labels: Labels | null | undefined): LabelSelector {
  return new LabelSelector(
    Object.entries(labels ?? {}).map(([key, value]) => ({ key, operator: '=', values: [value] })),
  );
}
