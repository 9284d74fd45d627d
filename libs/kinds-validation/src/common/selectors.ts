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

/** The detail of an error about a selector requirement without the values that it needs. */
export const valuesRequired = "must be specified when `operator` is 'In' or 'NotIn'";
/** The detail of an error about values of a selector requirement that takes none. */
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

/**
 * A meta/v1 LabelSelector. `anyValues` = values of expressions are not checked, as where the stored object had bad ones already.
 */
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

/** Whether a selector has values that are no label values: what a stored object may keep. */
export function hasBadSelectorValues(selector: LabelSelector | null | undefined): boolean {
  return (selector?.matchExpressions ?? []).some((expression) =>
    (expression.values ?? []).some((value) => isValidLabelValue(value).length > 0),
  );
}

/** Its matching form: absent selects nothing, empty everything. Undefined for a selector that has none. */
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

/** A selector as messages print it. */
export const shownSelector = (selector: LabelSelector | null | undefined): unknown =>
  goValue('meta.v1.LabelSelector', selector);
