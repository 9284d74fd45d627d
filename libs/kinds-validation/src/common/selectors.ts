import type { LabelSelector, LabelSelectorRequirement } from '@apichain/api/meta/v1';
import {
  field,
  isQualifiedName,
  isValidLabelValue,
  labelSelectorFromObject,
  type LabelSelector as MatchingSelector,
  SelectorError,
} from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { goValue } from './go-value.ts';
import { checkEach, invalidEach, labelMap, type Out } from './rules.ts';

/** The error detail for a selector requirement without the values that its operator needs. */
export const valuesRequired = "must be specified when `operator` is 'In' or 'NotIn'";
/** The error detail for a selector requirement with values that its operator does not allow. */
export const valuesForbidden = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
export const badOperator = 'not a valid selector operator';

function expressionErrors(out: Out, path: string, expression: LabelSelectorRequirement, anyValues: boolean): void {
  const { key = '', operator = '', values = [] } = expression;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) out.push(field.required(`${path}.values`, valuesRequired));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) out.push(field.forbidden(`${path}.values`, valuesForbidden));
      break;
    default:
      out.push(field.invalid(`${path}.operator`, operator, badOperator));
  }
  invalidEach(out, `${path}.key`, key, isQualifiedName(key));
  if (anyValues) return;
  checkEach(out, values, (out, value, i) => {
    invalidEach(out, `${path}.values[${i}]`, value, isValidLabelValue(value));
  });
}

/** Checks a meta/v1 LabelSelector. `anyValues` = do not check the values of expressions, because the stored object already had invalid ones. */
export function labelSelectorErrors(
  out: Out,
  path: string,
  selector: LabelSelector | null | undefined,
  anyValues = false,
): void {
  if (!isSet(selector)) return;
  const { matchLabels, matchExpressions } = selector;
  labelMap(out, `${path}.matchLabels`, matchLabels);
  checkEach(out, matchExpressions ?? [], (out, expression, i) => {
    expressionErrors(out, `${path}.matchExpressions[${i}]`, expression, anyValues);
  });
}

/** Whether a selector has invalid label values; a stored object may keep them. */
export function hasBadSelectorValues(selector: LabelSelector | null | undefined): boolean {
  return (selector?.matchExpressions ?? []).some((expression) =>
    (expression.values ?? []).some((value) => isValidLabelValue(value).length > 0),
  );
}

/** The selector as a matcher: absent selects nothing, empty selects everything. Undefined when the selector is invalid. */
export function matchingForm(selector: LabelSelector | null | undefined): MatchingSelector | undefined {
  try {
    if (!isSet(selector)) return labelSelectorFromObject(undefined);
    return labelSelectorFromObject({
      matchLabels: selector.matchLabels ?? {},
      matchExpressions: (selector.matchExpressions ?? []).map(({ key = '', operator = '', values = [] }) => ({
        key,
        operator,
        values,
      })),
    });
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

export const isEmptySelector = (selector: LabelSelector | null | undefined): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;

/** A selector as error messages print it. */
export const shownSelector = (selector: LabelSelector | null | undefined): unknown =>
  goValue('meta.v1.LabelSelector', selector);
