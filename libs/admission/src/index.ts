export * from './plugin.ts';
export * from './chain.ts';
export type { AdmissionObserver, AdmissionStep, AdmissionTiming, PolicyCheck } from './observer.ts';
export * from './namespace-lifecycle.ts';
export * from './namespace-lookup.ts';
export * from './registry.ts';
export * from './object-lookup.ts';
export * from './configuration-watch.ts';
export * from './storage-lookup.ts';
export * from './storage-quota-writer.ts';
export * from './builtin-plugins.ts';
export type { NamespaceCreator } from './plugins/namespace-auto-provision.ts';
export { parsePodSecurityDefaults, podSecurityDefaultProblems } from './plugins/pod-security/policy.ts';
export type { QuotaStatusWriter } from './plugins/resource-quota/quota-access.ts';
export { defaultTolerations, type DefaultTolerations } from './plugins/default-toleration-seconds.ts';
export { DynamicAdmission, dynamicResources, type DynamicAdmissionOptions } from './dynamic-admission.ts';
export { connectionReason } from './webhook/connection-reason.ts';
export { WebhookClient, type ServiceResolver, type WebhookCall, type WebhookObserver } from './webhook/client.ts';
export { serviceResolver } from './webhook/service-resolver.ts';
export {
  InitializationError,
  PluginConfigurations,
  readPluginConfigurations,
  type ReadFile,
} from './configuration/plugin-configurations.ts';
export { genericConfiguration, type GenericConfiguration } from './configuration/generic-configuration.ts';
export type { EventLimit } from './plugins/event-rate-limit.ts';
export { imagePolicyFrom } from './plugins/image-policy-configuration.ts';
