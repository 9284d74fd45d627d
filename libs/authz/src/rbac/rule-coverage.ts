import { pause } from '@apichain/meta';
import { type PolicyRule, urlCovers } from './policy-rule.ts';

const none: readonly string[] = [];

/** The most combinations of group, resource, name and verb that are checked one by one. A rule with more counts as missing as a whole. */
const maxParts = 100_000;
/** The most missing parts that are reported. */
const maxMissing = 10_000;
/** The number of rule comparisons between two checks of the clock. */
const comparisonsAtATime = 1_024;

/**
 * The parts of `wanted` that `owned` does not cover, as small as possible; empty = everything is covered. A wanted rule that a single owned rule
 * covers is not split into parts. Source: k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go.
 */
export function missingRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return [...missingParts(owned, wanted)].filter((part) => part !== undefined);
}

/** The same in time slices, so that other requests are served when it takes long. */
export async function findMissingRules(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): Promise<PolicyRule[]> {
  const missing: PolicyRule[] = [];
  for (const part of missingParts(owned, wanted)) {
    if (part !== undefined) missing.push(part);
    const wait = pause();
    if (wait !== undefined) await wait;
  }
  return missing;
}

/** The missing parts, with undefined in between as an opportunity for the caller to yield. */
function* missingParts(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): Generator<PolicyRule | undefined, void, undefined> {
  const rules: OwnedRule[] = [];
  let compared = 0;
  /** Counts the comparisons of one more part. True when it is time to yield. */
  const isTime = () => {
    compared += rules.length + 1;
    if (compared < comparisonsAtATime) return false;
    compared = 0;
    return true;
  };
  for (const rule of owned) {
    rules.push(new OwnedRule(rule));
    if (rules.length % comparisonsAtATime === 0) yield undefined;
  }
  let looked = 0;
  let missing = 0;
  for (const rule of wanted) {
    looked++;
    if (isTime()) yield undefined;
    if (rules.some((own) => own.covers(rule))) continue;
    if (looked + partCount(rule) > maxParts) {
      yield rule;
      return;
    }
    for (const part of partsOf(rule)) {
      looked++;
      if (isTime()) yield undefined;
      if (rules.some((own) => own.covers(part))) continue;
      yield part;
      if (++missing >= maxMissing) return;
    }
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
