import * as field from './field-error.ts';
import type { FieldError } from './field-error.ts';
import { isQualifiedName, isValidLabelValue } from './names.ts';
import { SelectorError } from './selector-error.ts';

/** The operators of the text form. `exists` is a key alone, `!` is a key with an exclamation mark before it. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'gt' | 'lt' | 'exists' | '!';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, without repetition. */
  readonly values: readonly string[];
  /** The values as a set, if there are many. */
  readonly valueSet?: ReadonlySet<string>;
}

/** Up to this many values are compared one by one. */
const fewValues = 8;

const hasValue = ({ values, valueSet }: LabelRequirement, value: string): boolean =>
  valueSet === undefined ? values.includes(value) : valueSet.has(value);

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** The longest label value in characters, so more than the sign and nineteen digits of an int64. */
const longestInt64 = 63;
const int64Text = /^[+-]?[0-9]+$/;
function parseInt64(text: string): bigint | undefined {
  if (text.length > longestInt64 || !int64Text.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function compareNumerically(label: string, requirement: LabelRequirement): boolean {
  const left = parseInt64(label);
  const right = parseInt64(requirement.values[0] ?? '');
  if (left === undefined || right === undefined) return false;
  return requirement.operator === 'gt' ? left > right : left < right;
}

/** Whether labels satisfy one requirement. */
export function requirementMatches(requirement: LabelRequirement, labels: Labels | undefined): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && hasValue(requirement, value);
    case '!=':
    case 'notin':
      return value === undefined || !hasValue(requirement, value);
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

/** One requirement in the text form. */
export function requirementText({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  const list = values.join(',');
  return `${key}${symbols[operator]}${operator === 'in' || operator === 'notin' ? `(${list})` : list}`;
}

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
  return values.length > fewValues ? { key, operator, values, valueSet: new Set(values) } : { key, operator, values };
}
