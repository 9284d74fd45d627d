import type { FieldSelectorRequirement, LabelSelectorRequirement } from '@apichain/api/meta/v1';
import type { ResourceAttributes } from '@apichain/api/authorization/v1';
import { escapeFieldValue, parseFieldSelector, parseLabelSelector, type LabelSelector } from '@apichain/meta';

/** The selector of a reviewed list or watch: the parts that could be parsed. */
interface ReviewedSelector {
  readonly text: string;
  /** The message for the status about parts that were ignored; undefined = there are none. */
  readonly problem?: string;
}

type SelectorName = 'fieldSelector' | 'labelSelector';

/**
 * Reads a selector in the resource attributes of an access review. Requirements that cannot be parsed are ignored. Fewer requirements select
 * more objects, so ignoring one cannot allow access that would otherwise be denied.
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#request-attributes
 */
export function reviewedSelector(attributes: ResourceAttributes, name: SelectorName): ReviewedSelector {
  const selector = attributes[name] ?? {};
  const raw = selector.rawSelector ?? '';
  const terms = raw === '' ? requirementTexts(selector.requirements ?? [], name) : [parses(name, raw) ? raw : ''];
  const understood = terms.filter((term) => term !== '');
  const joined = understood.join(',');
  if (understood.length === terms.length) return { text: joined };
  const partially = understood.length > 0 ? 'partially ' : '';
  return { text: joined, problem: `spec.resourceAttributes.${name} ${partially}ignored due to parse error` };
}

const requirementTexts = (
  requirements: readonly (FieldSelectorRequirement | LabelSelectorRequirement)[],
  name: SelectorName,
): string[] => requirements.map((each) => (name === 'fieldSelector' ? fieldTerm(each) : labelTerm(each)));

/** Field selectors support only equality with one value, and its negation. */
function fieldTerm(requirement: FieldSelectorRequirement): string {
  const operators: Record<string, string> = { In: '=', NotIn: '!=' };
  const operator = operators[requirement.operator ?? ''];
  const [value, ...others] = requirement.values ?? [];
  if (operator === undefined || value === undefined || others.length > 0) return '';
  return `${requirement.key ?? ''}${operator}${escapeFieldValue(value)}`;
}

function labelTerm(requirement: LabelSelectorRequirement): string {
  const key = requirement.key ?? '';
  const values = requirement.values ?? [];
  const terms: Record<string, string> = {
    In: `${key} in (${values.join(',')})`,
    NotIn: `${key} notin (${values.join(',')})`,
    Exists: key,
    DoesNotExist: `!${key}`,
  };
  return terms[requirement.operator ?? ''] ?? '';
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
