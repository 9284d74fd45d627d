export { builtinPlugins, extensionPlugins, genericPlugins, type PluginDependencies } from './builtin-plugins.ts';
export { AdmissionChain } from './chain.ts';
export { ConfigurationWatch } from './configuration-watch.ts';
export { genericConfiguration, type GenericConfiguration } from './configuration/generic-configuration.ts';
export {
  InitializationError,
  readPluginConfigurations,
  type PluginConfigurations,
} from './configuration/plugin-configurations.ts';
export { DynamicAdmission } from './dynamic-admission.ts';
export { lookedUp } from './object-lookup.ts';
export type { AdmissionObserver, AdmissionTiming, PolicyCheck } from './observer.ts';
export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin, ObjectInterfaces } from './plugin.ts';
export type { DefaultTolerations } from './plugins/default-toleration-seconds.ts';
export type { EventLimit } from './plugins/event-rate-limit.ts';
export { imagePolicyFrom } from './plugins/image-policy-configuration.ts';
export type { NamespaceCreator } from './plugins/namespace-exists.ts';
export { PodSecurityCounts, type PodSecurityCounter } from './plugins/pod-security/counts.ts';
export { parsePodSecurityDefaults, podSecurityDefaultProblems } from './plugins/pod-security/policy.ts';
export { type QuotaStatusWriter, storageQuotaWriter } from './plugins/resource-quota/quota-access.ts';
export {
  composeAdmission,
  extensionPluginOrder,
  isEnabled,
  onlyPlugins,
  validateAdmissionSelection,
  type AdmissionSelection,
  type PluginOrder,
} from './registry.ts';
export { StorageLookup } from './storage-lookup.ts';
export { WebhookClient, type WebhookObserver } from './webhook/client.ts';
export { connectionReason } from './webhook/connection-reason.ts';
export type { ServiceResolver } from './webhook/exchange.ts';
export { dnsServiceResolver, serviceResolver, type ServiceRouting } from './webhook/service-resolver.ts';
