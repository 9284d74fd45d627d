import { escapeFieldValue, parseFieldSelector, parseLabelSelector, type LabelSelector } from '@apichain/meta';
import { type Plain, record, records, text, texts } from '@apichain/kinds';

/** The selector of a reviewed list or watch, as far as it can be understood. */
export interface ReviewedSelector {
  readonly text: string;
  /** What the status says about parts that were left out; undefined = there are none. */
  readonly problem?: string;
}

type SelectorName = 'fieldSelector' | 'labelSelector';

/**
 * Reads a selector of the resource attributes of an access review. What it does not understand it leaves out: fewer requirements ask for
 * more, so nobody is allowed what he could not have asked for.
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#request-attributes
 */
export function reviewedSelector(attributes: Plain, name: SelectorName): ReviewedSelector {
  const selector = record(attributes[name]);
  const raw = text(selector.rawSelector);
  const terms = raw === '' ? requirementTexts(records(selector.requirements), name) : [parses(name, raw) ? raw : ''];
  const understood = terms.filter((term) => term !== '');
  const joined = understood.join(',');
  if (understood.length === terms.length) return { text: joined };
  const partially = understood.length > 0 ? 'partially ' : '';
  return { text: joined, problem: `spec.resourceAttributes.${name} ${partially}ignored due to parse error` };
}

const requirementTexts = (requirements: readonly Plain[], name: SelectorName): string[] =>
  requirements.map((each) => (name === 'fieldSelector' ? fieldTerm(each) : labelTerm(each)));

/** Fields can be equal to one value or not; nothing else is known yet. */
function fieldTerm(requirement: Plain): string {
  const operators: Record<string, string> = { In: '=', NotIn: '!=' };
  const operator = operators[text(requirement.operator)];
  const [value, ...others] = texts(requirement.values);
  if (operator === undefined || value === undefined || others.length > 0) return '';
  return `${text(requirement.key)}${operator}${escapeFieldValue(value)}`;
}

function labelTerm(requirement: Plain): string {
  const key = text(requirement.key);
  const values = texts(requirement.values);
  const terms: Record<string, string> = {
    In: `${key} in (${values.join(',')})`,
    NotIn: `${key} notin (${values.join(',')})`,
    Exists: key,
    DoesNotExist: `!${key}`,
  };
  return terms[text(requirement.operator)] ?? '';
}

function parses(name: SelectorName, raw: string): boolean {
  const parse: (text: string) => LabelSelector | object =
    name === 'fieldSelector' ? parseFieldSelector : parseLabelSelector;
  try {
    parse(raw);
    return true;
  } catch {
    return false;
  }
}
