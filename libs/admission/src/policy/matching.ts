import type { MatchResources as MatchResourcesSpec } from '@apichain/api/admissionregistration/v1';
import type { ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, VersionedResource } from '../plugin.ts';
import { matchedVersion, rulesFrom, subjectOf, type Rule } from '../rules.ts';
import { namespaceSelected, objectSelected } from '../selection.ts';
import { parseSelector, selectorOf, type ParsedSelector } from '../webhook/webhook.ts';

/** `matchConstraints` of a policy or `matchResources` of a binding, precompiled. */
export interface MatchResources {
  readonly rules: readonly Rule[];
  readonly excluded: readonly Rule[];
  readonly equivalent: boolean;
  readonly namespaceSelector: ParsedSelector;
  readonly objectSelector: ParsedSelector;
}

export function matchResources(value: MatchResourcesSpec | undefined): MatchResources {
  const match = value ?? {};
  return {
    rules: rulesFrom(match.resourceRules),
    excluded: rulesFrom(match.excludeResourceRules),
    equivalent: match.matchPolicy !== 'Exact',
    namespaceSelector: parseSelector(match.namespaceSelector),
    objectSelector: parseSelector(match.objectSelector),
  };
}

/** The version in which a policy receives requests like this one, ignoring object names; undefined = it matches none of them. */
export function coveredVersion(match: MatchResources, attributes: AdmissionAttributes): VersionedResource | undefined {
  return versionFor(match, attributes, undefined);
}

function versionFor(
  { rules, equivalent }: MatchResources,
  attributes: AdmissionAttributes,
  name: string | undefined,
): VersionedResource | undefined {
  const { resource, kind, interfaces } = attributes;
  if (rules.length === 0) return { resource, kind };
  return matchedVersion(rules, subjectOf(attributes), equivalent ? interfaces?.equivalents : undefined, name);
}

function isExcluded({ excluded, equivalent }: MatchResources, attributes: AdmissionAttributes): boolean {
  const { name, interfaces } = attributes;
  const equivalents = equivalent ? interfaces?.equivalents : undefined;
  return matchedVersion(excluded, subjectOf(attributes), equivalents, name) !== undefined;
}

/**
 * The version in which a policy receives this request; undefined = the policy does not match. Throws StatusError when matching fails.
 * After k8s.io/apiserver/pkg/admission/plugin/policy/matching.
 */
export async function matches(
  match: MatchResources,
  attributes: AdmissionAttributes,
  lookup: ObjectLookup,
): Promise<VersionedResource | undefined> {
  const version = versionFor(match, attributes, attributes.name);
  if (version === undefined || isExcluded(match, attributes)) return undefined;
  if (!(await namespaceSelected(selectorOf(match.namespaceSelector), attributes, lookup))) return undefined;
  return objectSelected(selectorOf(match.objectSelector), attributes) ? version : undefined;
}
