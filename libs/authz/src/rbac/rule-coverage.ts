import { inSlices, type SteppedWork } from '@apichain/meta';
import { type PolicyRule, urlCovers } from './policy-rule.ts';

const none: readonly string[] = [];

/** The most combinations of group, resource, name and verb that are checked one by one. A rule with more counts as missing as a whole. */
const maxParts = 100_000;
/** The most missing parts that are reported. */
const maxMissing = 10_000;
/** The number of comparisons of two rules between two looks at the clock. */
const comparisonsAtATime = 1_024;

/**
 * The parts of `wanted` that `owned` does not cover, as small as possible; empty = everything is covered. A wanted rule that a single owned rule
 * covers is not split into parts. Source: k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go.
 */
export function missingRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const comparison = new RuleComparison(owned, wanted);
  comparison.advance(Infinity);
  return comparison.missing;
}

/** The same in time slices, so that other requests are served: every part is compared with every owned rule, which may take long. */
export async function findMissingRules(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): Promise<PolicyRule[]> {
  const comparison = new RuleComparison(owned, wanted);
  await inSlices(comparison, comparisonsAtATime);
  return comparison.missing;
}

class RuleComparison implements SteppedWork {
  readonly missing: PolicyRule[] = [];
  readonly #owned: readonly PolicyRule[];
  readonly #wanted: readonly PolicyRule[];
  readonly #rules: OwnedRule[] = [];
  /** The wanted rules that have been looked at, and the parts of the last one that have not. */
  #next = 0;
  #parts: Iterator<PolicyRule> | undefined;
  #looked = 0;

  constructor(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]) {
    this.#owned = owned;
    this.#wanted = wanted;
  }

  advance(comparisons: number): boolean {
    let left = comparisons;
    for (; left > 0 && this.#rules.length < this.#owned.length; left--) {
      const rule = this.#owned[this.#rules.length];
      if (rule !== undefined) this.#rules.push(new OwnedRule(rule));
    }
    for (; left > 0; left -= this.#rules.length + 1) if (this.#compareNext()) return true;
    return false;
  }

  /** Looks at one rule or part. Returns whether it was the last one. */
  #compareNext(): boolean {
    const part = this.#parts?.next();
    if (part !== undefined && part.done !== true) {
      this.#looked++;
      if (!this.#isCovered(part.value)) this.missing.push(part.value);
      return this.missing.length >= maxMissing;
    }
    this.#parts = undefined;
    const rule = this.#wanted[this.#next++];
    if (rule === undefined) return true;
    this.#looked++;
    if (this.#isCovered(rule)) return false;
    if (this.#looked + partCount(rule) > maxParts) {
      this.missing.push(rule);
      return true;
    }
    this.#parts = partsOf(rule);
    return false;
  }

  #isCovered(rule: PolicyRule): boolean {
    return this.#rules.some((own) => own.covers(rule));
  }
}

function partCount({ verbs, apiGroups, resources, resourceNames = none, nonResourceURLs }: PolicyRule): number {
  const count = (values: readonly string[] = none) => values.length;
  const ofResources = count(apiGroups) * count(resources) * Math.max(1, count(resourceNames));
  return (ofResources + count(nonResourceURLs)) * verbs.length;
}

function* partsOf(rule: PolicyRule): Generator<PolicyRule, void, undefined> {
  const { verbs, apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) yield part;
        else for (const name of resourceNames) yield { ...part, resourceNames: [name] };
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) yield { nonResourceURLs: [url], verbs: [verb] };
}

const hasAll = (granted: ReadonlySet<string>, wanted: readonly string[] = none): boolean =>
  granted.has('*') || wanted.every((value) => granted.has(value));

/** An owned rule, prepared for many comparisons. */
class OwnedRule {
  readonly #verbs: ReadonlySet<string>;
  readonly #apiGroups: ReadonlySet<string>;
  readonly #resources: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #urls: ReadonlySet<string>;
  /** The URLs that end in a star. */
  readonly #prefixes: readonly string[];

  constructor({ verbs, apiGroups, resources, resourceNames, nonResourceURLs = none }: PolicyRule) {
    this.#verbs = new Set(verbs);
    this.#apiGroups = new Set(apiGroups);
    this.#resources = new Set(resources);
    this.#names = new Set(resourceNames);
    this.#urls = new Set(nonResourceURLs);
    this.#prefixes = nonResourceURLs.filter((url) => url.endsWith('*'));
  }

  /** Whether this rule grants everything that the other rule grants. */
  covers({ verbs, apiGroups, resources = none, resourceNames = none, nonResourceURLs = none }: PolicyRule): boolean {
    return (
      hasAll(this.#verbs, verbs) &&
      hasAll(this.#apiGroups, apiGroups) &&
      (this.#resources.has('*') || resources.every((path) => this.#hasResource(path))) &&
      (this.#names.size === 0 || (resourceNames.length > 0 && resourceNames.every((name) => this.#names.has(name)))) &&
      nonResourceURLs.every((url) => this.#urls.has(url) || this.#prefixes.some((own) => urlCovers(own, url)))
    );
  }

  #hasResource(path: string): boolean {
    const slash = path.indexOf('/');
    return this.#resources.has(path) || (slash >= 0 && this.#resources.has(`*${path.slice(slash)}`));
  }
}

/** Merges the verbs of rules for the same resource, so that messages stay short. Rules for several resources are not merged. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const others: PolicyRule[] = [];
  const byResource = new Map<string, PolicyRule & { verbs: string[] }>();
  for (const rule of rules) {
    const { apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
    const simple =
      apiGroups.length === 1 && resources.length === 1 && resourceNames.length <= 1 && nonResourceURLs.length === 0;
    if (!simple) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const known = byResource.get(key);
    if (known === undefined) byResource.set(key, { ...rule, verbs: [...rule.verbs] });
    else for (const verb of rule.verbs) known.verbs.push(verb);
  }
  return [...others, ...byResource.values()];
}
