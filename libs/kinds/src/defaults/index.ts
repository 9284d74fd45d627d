import type { GroupVersionKind, JsonValue, KubeObject } from '@apichain/meta';
import { compileDefaults, type ComputedRule, type DefaultCondition, type DefaultRule } from '@apichain/scheme';
import { readGenerated } from '../generated-file.ts';
import { builtinType } from '../types.ts';
import { conversionEffects } from './conversion-effects.ts';
import { coreRules } from './core.ts';
import { otherGroupRules } from './other-groups.ts';
import { podRules } from './pods.ts';
import { workloadRules } from './workloads.ts';

/** Type -> rules that a value and a condition state in full: [path, condition, value, order]. */
type GeneratedRules = Record<string, readonly (readonly [string, DefaultCondition, JsonValue, number])[]>;
type ComputedRules = Readonly<Record<string, readonly ComputedRule[]>>;

function addRules(table: Map<string, DefaultRule[]>, type: string, rules: readonly DefaultRule[]): void {
  table.set(type, [...(table.get(type) ?? []), ...rules]);
}

/** Versions off by default whose types are those of v1 under another name. */
const sameAsV1: Readonly<Record<string, readonly string[]>> = {
  'resource.k8s.io': ['v1beta1', 'v1beta2'],
  'admissionregistration.k8s.io': ['v1beta1', 'v1alpha1'],
};

/** The type itself and its namesakes in other versions of the group. */
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
  const computed: ComputedRules[] = [coreRules, podRules, workloadRules, otherGroupRules];
  for (const rules of computed) for (const [type, more] of Object.entries(rules)) addRules(table, type, more);
  return table;
}

/** Made once, from tables that do not change. */
let tables: { defaults: Map<string, DefaultRule[]>; effects: Map<string, readonly DefaultRule[]> } | undefined;
const ruleTables = () => (tables ??= { defaults: defaultRules(), effects: new Map(Object.entries(conversionEffects)) });

/** Groups without any defaulter, although types with rules occur inside their kinds. */
const groupsWithoutDefaults: ReadonlySet<string> = new Set([
  'policy',
  'coordination.k8s.io',
  'node.k8s.io',
  'events.k8s.io',
  'authorization.k8s.io',
]);

/**
 * Sets the defaults of a built-in kind on an object in place, then what conversion to the internal version would leave on it
 * (Secret stringData merged, serviceAccount in step with serviceAccountName, ...). Run it after decoding and after every patch
 * or mutating webhook; canonicalize the object before it is stored, for added members go last and empty ones stay.
 * undefined for kinds that need neither. https://kubernetes.io/docs/reference/using-api/api-concepts/
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
