import { AdmissionChain } from './chain.ts';
import type { AdmissionPlugin } from './plugin.ts';

/** The plugins that a server knows, in the order in which they run; `true` = enabled by default. */
export type PluginOrder = readonly (readonly [name: string, onByDefault: boolean])[];

/** Every plugin of kube-apiserver 1.36. */
const pluginOrder: PluginOrder = [
  ['AlwaysAdmit', false],
  ['NamespaceAutoProvision', false],
  ['NamespaceLifecycle', true],
  ['NamespaceExists', false],
  ['LimitPodHardAntiAffinityTopology', false],
  ['LimitRanger', true],
  ['ServiceAccount', true],
  ['NodeRestriction', false],
  ['TaintNodesByCondition', true],
  ['AlwaysPullImages', false],
  ['ImagePolicyWebhook', false],
  ['PodSecurity', true],
  ['PodNodeSelector', false],
  ['Priority', true],
  ['DefaultTolerationSeconds', true],
  ['PodTolerationRestriction', false],
  ['EventRateLimit', false],
  ['ExtendedResourceToleration', false],
  ['DefaultStorageClass', true],
  ['StorageObjectInUseProtection', true],
  ['PodGroupProtection', true],
  ['OwnerReferencesPermissionEnforcement', false],
  ['PersistentVolumeClaimResize', true],
  ['RuntimeClass', true],
  ['CertificateApproval', true],
  ['CertificateSigning', true],
  ['ClusterTrustBundleAttest', true],
  ['CertificateSubjectRestriction', true],
  ['DefaultIngressClass', true],
  ['DenyServiceExternalIPs', false],
  ['PodTopologyLabels', true],
  ['PodGroupWorkloadExists', true],
  ['NodeDeclaredFeatureValidator', true],
  ['JobValidation', true],
  ['PodResizeValidator', true],
  ['MutatingAdmissionPolicy', true],
  ['MutatingAdmissionWebhook', true],
  ['ValidatingAdmissionPolicy', true],
  ['ValidatingAdmissionWebhook', true],
  ['ResourceQuota', true],
  ['AlwaysDeny', false],
];

/** The plugins that every extension API server has. Source: NewAdmissionOptions of k8s.io/apiserver/pkg/server/options. */
export const extensionPluginOrder: PluginOrder = [
  ['NamespaceLifecycle', true],
  ['MutatingAdmissionPolicy', true],
  ['MutatingAdmissionWebhook', true],
  ['ValidatingAdmissionPolicy', true],
  ['ValidatingAdmissionWebhook', true],
];

export type PluginFactory = () => AdmissionPlugin;
/** The plugins that are enabled or disabled differently from the defaults. Names are those of kube-apiserver. */
export interface AdmissionSelection {
  /** `--enable-admission-plugins` */
  readonly enable: readonly string[];
  /** `--disable-admission-plugins` */
  readonly disable: readonly string[];
}
interface ComposedAdmission {
  readonly chain: AdmissionChain;
  /** Plugins that were enabled by name but are not implemented by this server. */
  readonly warnings: readonly string[];
}

const namesOf = (order: PluginOrder): string[] => order.map(([name]) => name);

/**
 * The problems of the two flags, one sentence each; empty when there are none.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#how-do-i-turn-on-an-admission-controller
 */
export function validateAdmissionSelection(
  { enable, disable }: AdmissionSelection,
  order: PluginOrder = pluginOrder,
): string[] {
  const known = namesOf(order);
  const unknown = (flag: string, names: readonly string[]) =>
    names.filter((name) => !known.includes(name)).map((name) => `${flag} plugin "${name}" is unknown`);
  const both = [...new Set(enable)].filter((name) => disable.includes(name)).sort();
  return [
    ...unknown('enable-admission-plugins', enable),
    ...unknown('disable-admission-plugins', disable),
    ...(both.length === 0
      ? []
      : [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]),
  ];
}

/** The selection that enables exactly these plugins, for the deprecated flag `--admission-control`. Throws Error on an unknown name. */
export function onlyPlugins(names: readonly string[]): AdmissionSelection {
  const known = namesOf(pluginOrder);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`admission-control plugin "${unknown}" is unknown`);
  return { enable: names, disable: known.filter((name) => !names.includes(name)) };
}

/** Whether the selection enables a plugin. */
export function isEnabled(
  plugin: string,
  { enable, disable }: AdmissionSelection,
  order: PluginOrder = pluginOrder,
): boolean {
  if (disable.includes(plugin)) return false;
  return enable.includes(plugin) || order.some(([name, onByDefault]) => name === plugin && onByDefault);
}

/** Builds the chain of the implemented plugins that the flags enable. Throws Error on an unknown name. */
export function composeAdmission(
  built: Readonly<Record<string, PluginFactory>>,
  selection: AdmissionSelection = { enable: [], disable: [] },
  order: PluginOrder = pluginOrder,
): ComposedAdmission {
  const problems = validateAdmissionSelection(selection, order);
  if (problems.length > 0) throw new Error(problems.join(', '));
  const plugins: AdmissionPlugin[] = [];
  const warnings: string[] = [];
  for (const [name] of order) {
    const asked = selection.enable.includes(name);
    if (!isEnabled(name, selection, order)) continue;
    const factory = Object.hasOwn(built, name) ? built[name] : undefined;
    if (factory !== undefined) plugins.push(factory());
    else if (asked) warnings.push(`admission plugin ${name} is not available in this server and is ignored`);
  }
  return { chain: new AdmissionChain(plugins), warnings };
}
