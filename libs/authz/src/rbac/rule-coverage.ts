import { inSlices, type SteppedWork } from '@apichain/meta';
import { type PolicyRule, urlCovers } from './policy-rule.ts';

const none: readonly string[] = [];

/** The most combinations of group, resource, name and verb that are checked one by one. A rule with more counts as missing as a whole. */
const maxParts = 100_000;
/** The most missing parts that are reported. */
const maxMissing = 10_000;
/** The number of comparisons of two rules between two looks at the clock. */
const comparisonsAtATime = 1_024;

/** Passes the rules that somebody owns, some at a time, until `take` returns false. */
export type OwnedRules = (take: (rules: readonly PolicyRule[]) => Promise<boolean>) => Promise<void>;

/**
 * The parts of `wanted` that `owned` does not cover, as small as possible; empty = everything is covered. A wanted rule that a single owned rule
 * covers is not split into parts. Source: k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go.
 */
export function missingRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const whole = new Coverage(wanted.length, () => wanted);
  new Comparison(whole, owned).advance(Infinity);
  const { parts, count, rest } = split(whole.missing());
  const coverage = new Coverage(count, parts);
  new Comparison(coverage, owned).advance(Infinity);
  return [...coverage.missing(), ...rest];
}

/** The same in time slices, so that other requests are served: every part is compared with every owned rule, which may take long. */
export async function findMissingRules(owned: OwnedRules, wanted: readonly PolicyRule[]): Promise<PolicyRule[]> {
  const whole = new Coverage(wanted.length, () => wanted);
  await whole.compareWith(owned);
  const { parts, count, rest } = split(whole.missing());
  const coverage = new Coverage(count, parts);
  await coverage.compareWith(owned);
  return [...coverage.missing(), ...rest];
}

/** The parts of rules, which are made again when they are needed: they may be many. `rest` are the rules that would have too many, and what follows. */
function split(rules: readonly PolicyRule[]): {
  readonly parts: () => Iterable<PolicyRule>;
  readonly count: number;
  readonly rest: readonly PolicyRule[];
} {
  let count = 0;
  let end = 0;
  for (const rule of rules) {
    if (count + partCount(rule) > maxParts) break;
    count += partCount(rule);
    end++;
  }
  const few = rules.slice(0, end);
  return { parts: () => partsOfAll(few), count, rest: rules.slice(end, end + 1) };
}

/** Which of the wanted rules, or of their parts, are covered. */
class Coverage {
  readonly wanted: () => Iterable<PolicyRule>;
  /** 1 = covered. */
  readonly covered: Uint8Array;
  uncovered: number;

  constructor(count: number, wanted: () => Iterable<PolicyRule>) {
    this.wanted = wanted;
    this.covered = new Uint8Array(count);
    this.uncovered = count;
  }

  async compareWith(owned: OwnedRules): Promise<void> {
    if (this.uncovered === 0) return;
    await owned(async (rules) => {
      await inSlices(new Comparison(this, rules), comparisonsAtATime);
      return this.uncovered > 0;
    });
  }

  missing(): PolicyRule[] {
    const missing: PolicyRule[] = [];
    let i = 0;
    for (const rule of this.wanted()) {
      if (missing.length >= maxMissing) break;
      if (this.covered[i++] === 0) missing.push(rule);
    }
    return missing;
  }
}

/** Compares what is not covered with rules. */
class Comparison implements SteppedWork {
  readonly #coverage: Coverage;
  readonly #owned: readonly PolicyRule[];
  readonly #rules: OwnedRule[] = [];
  readonly #wanted: Iterator<PolicyRule>;
  #next = 0;

  constructor(coverage: Coverage, owned: readonly PolicyRule[]) {
    this.#coverage = coverage;
    this.#owned = owned;
    this.#wanted = coverage.wanted()[Symbol.iterator]();
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

  /** Looks at one rule or part. Returns whether all have been looked at. */
  #compareNext(): boolean {
    const { covered, uncovered } = this.#coverage;
    if (uncovered === 0) return true;
    const next = this.#wanted.next();
    if (next.done === true) return true;
    const i = this.#next++;
    if (covered[i] !== 0 || !this.#rules.some((own) => own.covers(next.value))) return false;
    covered[i] = 1;
    this.#coverage.uncovered--;
    return false;
  }
}

function partCount({ verbs, apiGroups, resources, resourceNames = none, nonResourceURLs }: PolicyRule): number {
  const count = (values: readonly string[] = none) => values.length;
  const ofResources = count(apiGroups) * count(resources) * Math.max(1, count(resourceNames));
  return (ofResources + count(nonResourceURLs)) * verbs.length;
}

function* partsOfAll(rules: readonly PolicyRule[]): Generator<PolicyRule, void, undefined> {
  for (const rule of rules) yield* partsOf(rule);
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
