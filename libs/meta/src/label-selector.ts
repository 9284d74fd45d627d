import { compareText } from './compare-text.ts';
import * as field from './field-error.ts';
import {
  newLabelRequirement,
  requirementMatches,
  requirementText,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
} from './label-requirement.ts';
import { parseRequirements } from './label-selector-parser.ts';
import { SelectorError } from './selector-error.ts';

/** meta/v1 LabelSelector, the object form in specs. */
export interface LabelSelectorObject {
  matchLabels?: Readonly<Record<string, string>> | null;
  matchExpressions?: readonly LabelSelectorRequirementObject[] | null;
}
export interface LabelSelectorRequirementObject {
  key?: string;
  operator?: string;
  values?: readonly string[] | null;
}

/**
 * A set of label requirements. An object matches if all are met. Immutable.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export class LabelSelector {
  /** Sorted by key. Empty both for a selector of all objects (`empty`) and of none (`nothing`). */
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
  /** The value that the label must have, if there is exactly one. */
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

const everythingLabelSelector = new LabelSelector();
const nothingLabelSelector = new LabelSelector([], true);

/**
 * Reads the text form (`labelSelector=` of a list): `=`, `==`, `!=`, `in`, `notin`, a bare key, `!key`, `<` and `>`.
 * Throws SelectorError with the message of labels.Parse (k8s.io/apimachinery/pkg/labels).
 */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === '') return everythingLabelSelector;
  return new LabelSelector(parseRequirements(text));
}

const objectOperators = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

function requirementFromObject(expression: LabelSelectorRequirementObject): LabelRequirement {
  const { key = '', operator: name = '', values } = expression;
  const operator = objectOperators.get(name);
  if (operator === undefined) {
    throw new SelectorError(`${field.formatBadValue(name)} is not a valid label selector operator`);
  }
  return newLabelRequirement(key, operator, [...new Set(values ?? [])].sort(compareText));
}

/**
 * The object form in specs: an absent selector selects nothing, an empty one everything. Throws SelectorError.
 * Source: metav1.LabelSelectorAsSelector.
 */
export function labelSelectorFromObject(selector: LabelSelectorObject | null | undefined): LabelSelector {
  if (selector === null || selector === undefined) return nothingLabelSelector;
  const exact = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    newLabelRequirement(key, '=', [value]),
  );
  return new LabelSelector([...exact, ...(selector.matchExpressions ?? []).map(requirementFromObject)]);
}

/** A selector as Go prints the struct: `&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]...{},}`. */
export function printLabelSelector({ matchLabels, matchExpressions }: LabelSelectorObject): string {
  const labels = Object.entries(matchLabels ?? {}).sort(([a], [b]) => compareText(a, b));
  const requirements = (matchExpressions ?? []).map(
    ({ key = '', operator = '', values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  );
  const map = `map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join('')}}`;
  return `&LabelSelector{MatchLabels:${map},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
}
