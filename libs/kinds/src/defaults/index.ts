import { lazy, type GroupVersionKind, type JsonValue, type KubeObject } from '@apichain/meta';
import { compileDefaults, type ComputedRule, type DefaultCondition, type DefaultRule } from '@apichain/scheme';
import { readGenerated } from '../generated-file.ts';
import { builtinType } from '../types.ts';
import { conversionEffects } from './conversion-effects.ts';
import { coreRules } from './core.ts';
import { otherGroupRules } from './other-groups.ts';
import { podRules } from './pods.ts';
import type { ComputedRules } from './rules.ts';
import { workloadRules } from './workloads.ts';

/** Type -> rules that consist of a value and a condition: [path, condition, value, order]. */
type GeneratedRules = Record<string, readonly (readonly [string, DefaultCondition, JsonValue, number])[]>;

function addRules(table: Map<string, DefaultRule[]>, type: string, rules: readonly DefaultRule[]): void {
  table.set(type, [...(table.get(type) ?? []), ...rules]);
}

/** Versions that are off by default and whose types are those of v1 under another name. */
const sameAsV1: Readonly<Record<string, readonly string[]>> = {
  'resource.k8s.io': ['v1beta1', 'v1beta2'],
  'admissionregistration.k8s.io': ['v1beta1', 'v1alpha1'],
};

/** The type and its counterparts in other versions of the group. */
function namesakes(type: string): string[] {
  const [group = '', name = ''] = type.split('.v1.');
  return [type, ...(sameAsV1[group] ?? []).map((version) => `${group}.${version}.${name}`)];
}

function defaultRules(): Map<string, DefaultRule[]> {
  const table = new Map<string, DefaultRule[]>();
  for (const [type, entries] of Object.entries(readGenerated<GeneratedRules>('defaults.json'))) {
    const rules = entries.map(([path, when, value, order]) => ({ path, when, value, order }));
    for (const name of namesakes(type)) addRules(table, name, rules);
  }
  const computed: ComputedRules = { ...coreRules, ...podRules, ...workloadRules, ...otherGroupRules };
  for (const [type, rules] of rulesByName(computed)) addRules(table, type, rules);
  return table;
}

/** The rules by type name, for compileDefaults, which selects the rules of each type. */
const rulesByName = (rules: ComputedRules): (readonly [string, readonly ComputedRule[]])[] =>
  Object.entries(rules as Readonly<Record<string, readonly ComputedRule[]>>);

const ruleTables = lazy(() => ({ defaults: defaultRules(), effects: new Map(rulesByName(conversionEffects)) }));

/** Groups without a defaulter, although their kinds contain types with rules. */
const groupsWithoutDefaults: ReadonlySet<string> = new Set([
  'policy',
  'coordination.k8s.io',
  'node.k8s.io',
  'events.k8s.io',
  'authorization.k8s.io',
]);

/**
 * Sets the defaults of a built-in kind on an object in place, then applies the effects of the conversion to the internal version
 * (merges stringData of a Secret, copies serviceAccountName to serviceAccount, ...). Call it after decoding and after every patch
 * or mutating webhook. Canonicalize the object before it is stored, because added members come last and empty ones are kept.
 * Undefined for kinds that need neither. https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
export function defaulterFor(gvk: GroupVersionKind): ((object: KubeObject) => void) | undefined {
  const type = builtinType(gvk);
  if (type === undefined || groupsWithoutDefaults.has(gvk.group)) return undefined;
  const { defaults, effects } = ruleTables();
  const setDefaults = compileDefaults(defaults, type);
  const applyEffects = compileDefaults(effects, type);
  if (setDefaults === undefined && applyEffects === undefined) return undefined;
  return (object) => {
    setDefaults?.(object);
    applyEffects?.(object);
  };
}
