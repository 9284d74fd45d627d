import { baselineChecks } from './baseline-checks.ts';
import type { Check, CheckedPod, CheckPod, CheckVersion, Violation } from './check.ts';
import type { LevelVersion } from './policy.ts';
import { restrictedChecks } from './restricted-checks.ts';

const byId = (a: Check, b: Check): number => (a.id < b.id ? -1 : 1);
const baseline = baselineChecks.toSorted(byId);
const restricted = restrictedChecks.toSorted(byId);
/** No check has changed since this minor version. */
const newest = Math.max(...[...baseline, ...restricted].flatMap(({ versions }) => versions.map(({ since }) => since)));

const inForce = ({ versions }: Check, minor: number): CheckVersion | undefined =>
  versions.findLast(({ since }) => since <= minor);

function checksFor(level: 'baseline' | 'restricted', minor: number): CheckPod[] {
  const strict = level === 'restricted' ? restricted.map((check) => inForce(check, minor)) : [];
  const overridden = new Set(strict.flatMap((version) => version?.overrides ?? []));
  const lenient = baseline.filter(({ id }) => !overridden.has(id)).map((check) => inForce(check, minor));
  return [...lenient, ...strict].flatMap((version) => (version === undefined ? [] : [version.check]));
}

const versions = Array.from({ length: newest + 1 }, (_, minor) => minor);
const checks = {
  baseline: versions.map((minor) => checksFor('baseline', minor)),
  restricted: versions.map((minor) => checksFor('restricted', minor)),
};

/** The violations of the policy: first the baseline checks, then the restricted checks, each sorted by id. */
export function evaluatePod({ level, version }: LevelVersion, pod: CheckedPod): Violation[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? newest : Math.min(version, newest);
  return (checks[level][minor] ?? []).map((check) => check(pod)).filter((violation) => violation !== undefined);
}

/** `reason (detail), reason (detail)` */
export const violationsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
