import type { Certificate } from './certificate.ts';

const anyPolicy = '551d2000';

/** The policies that are valid at one certificate, each with those that the next certificate may name in its place. */
type Level = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Whether the certificate policies of a chain, leaf first, are valid, when no policy in particular is asked for: RFC 5280, sections 6.1.3 to 6.1.5,
 * with the algorithm of RFC 9618. It can only fail where a certificate requires an explicit policy, or maps any policy.
 */
export function arePoliciesValid(chain: readonly Certificate[]): boolean {
  const count = chain.length - 1;
  if (count === 0) return true;
  let level: Level | undefined = new Map([[anyPolicy, new Set([anyPolicy])]]);
  let explicitPolicy = count + 1;
  let policyMapping = count + 1;
  let inhibitAny = count + 1;
  for (let i = count - 1; i >= 0; i--) {
    const certificate = chain[i];
    if (certificate === undefined) return false;
    const { extensions } = certificate;
    const isSelfIssued = certificate.issuer === certificate.subject;
    const isLeaf = i === 0;
    const allowsAny: boolean = inhibitAny > 0 || (!isLeaf && isSelfIssued);
    level = (extensions.policies ?? []).length === 0 ? undefined : level && nextLevel(level, certificate, allowsAny);
    if (explicitPolicy === 0 && level === undefined) return false;
    if (isLeaf) break;
    if (level !== undefined) {
      const mapped = mappedLevel(level, certificate, policyMapping > 0);
      if (mapped === undefined) return false;
      level = mapped;
    }
    if (!isSelfIssued) {
      explicitPolicy = Math.max(explicitPolicy - 1, 0);
      policyMapping = Math.max(policyMapping - 1, 0);
      inhibitAny = Math.max(inhibitAny - 1, 0);
    }
    explicitPolicy = Math.min(explicitPolicy, extensions.requireExplicitPolicy ?? Infinity);
    policyMapping = Math.min(policyMapping, extensions.inhibitPolicyMapping ?? Infinity);
    inhibitAny = Math.min(inhibitAny, extensions.inhibitAnyPolicy ?? Infinity);
  }
  explicitPolicy = Math.max(explicitPolicy - 1, 0);
  if (chain[0]?.extensions.requireExplicitPolicy === 0) explicitPolicy = 0;
  return explicitPolicy > 0 || (level?.size ?? 0) > 0;
}

function nextLevel(level: Level, { extensions }: Certificate, allowsAny: boolean): Level {
  const named = new Set(extensions.policies);
  const expected = new Set([...level.values()].flatMap((policies) => [...policies]));
  const next = new Map<string, ReadonlySet<string>>();
  for (const policy of named) {
    if (policy === anyPolicy) continue;
    if (expected.has(policy) || level.has(anyPolicy)) next.set(policy, new Set([policy]));
  }
  if (named.has(anyPolicy) && allowsAny)
    for (const policy of expected) if (!next.has(policy)) next.set(policy, new Set([policy]));
  return next;
}

/** Undefined when any policy is mapped, which is not allowed. */
function mappedLevel(level: Level, { extensions }: Certificate, isAllowed: boolean): Level | undefined {
  const mappings = extensions.policyMappings ?? [];
  if (mappings.length === 0) return level;
  if (!isAllowed) {
    const mapped = new Set(mappings.map(({ issuer }) => issuer));
    return new Map([...level].filter(([policy]) => !mapped.has(policy)));
  }
  if (mappings.some(({ issuer, subject }) => issuer === anyPolicy || subject === anyPolicy)) return undefined;
  const next = new Map(level);
  for (const [issuer, pairs] of Map.groupBy(mappings, (mapping) => mapping.issuer))
    if (level.has(issuer) || level.has(anyPolicy)) next.set(issuer, new Set(pairs.map(({ subject }) => subject)));
  return next;
}
