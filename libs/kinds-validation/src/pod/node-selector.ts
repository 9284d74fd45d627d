import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '@apichain/api/core/v1';
import { field, isDNS1123Subdomain, isQualifiedName, isValidLabelValue } from '@apichain/meta';
import { checkEach, invalidEach, type Out } from '../common/rules.ts';
import { badOperator, valuesForbidden, valuesRequired } from '../common/selectors.ts';

function expressionErrors(out: Out, path: string, expression: NodeSelectorRequirement, checkValues: boolean): void {
  const values = expression.values ?? [];
  switch (expression.operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) out.push(field.required(`${path}.values`, valuesRequired));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) out.push(field.forbidden(`${path}.values`, valuesForbidden));
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) {
        out.push(field.required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
      break;
    default:
      out.push(field.invalid(`${path}.operator`, expression.operator ?? '', badOperator));
  }
  invalidEach(out, `${path}.key`, expression.key ?? '', isQualifiedName(expression.key ?? ''));
  if (!checkValues) return;
  checkEach(out, values, (out, value, k) => {
    invalidEach(out, `${path}.values[${k}]`, value, isValidLabelValue(value));
  });
}

function fieldErrors(out: Out, path: string, expression: NodeSelectorRequirement): void {
  const values = expression.values ?? [];
  if (expression.operator === 'In' || expression.operator === 'NotIn') {
    if (values.length !== 1) {
      const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
      out.push(field.required(`${path}.values`, detail));
    }
  } else out.push(field.invalid(`${path}.operator`, expression.operator ?? '', badOperator));
  if (expression.key !== 'metadata.name') {
    out.push(field.invalid(`${path}.key`, expression.key ?? '', 'not a valid field selector key'));
    return;
  }
  checkEach(out, values, (out, value, k) => {
    invalidEach(out, `${path}.values[${k}]`, value, isDNS1123Subdomain(value));
  });
}

/** Checks one term of a node selector. */
export function nodeSelectorTermErrors(out: Out, path: string, term: NodeSelectorTerm, checkValues: boolean): void {
  checkEach(out, term.matchExpressions ?? [], (out, expression, j) => {
    expressionErrors(out, `${path}.matchExpressions[${j}]`, expression, checkValues);
  });
  checkEach(out, term.matchFields ?? [], (out, expression, j) => {
    fieldErrors(out, `${path}.matchFields[${j}]`, expression);
  });
}

/** Checks a node selector, which must have at least one term. */
export function nodeSelectorErrors(out: Out, path: string, selector: NodeSelector, checkValues = true): void {
  const at = `${path}.nodeSelectorTerms`;
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) out.push(field.required(at, 'must have at least one node selector term'));
  checkEach(out, terms, (out, term, i) => nodeSelectorTermErrors(out, `${at}[${i}]`, term, checkValues));
}

/** Whether a stored selector has invalid label values. */
export const hasBadNodeValues = (selector: NodeSelector | undefined): boolean =>
  (selector?.nodeSelectorTerms ?? []).some((term) =>
    (term.matchExpressions ?? []).some((expression) =>
      (expression.values ?? []).some((value) => isValidLabelValue(value).length > 0),
    ),
  );
