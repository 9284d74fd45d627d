import type { Authorizer } from '@apichain/authz';
import { dynamicPlugins, type DynamicAdmission } from './dynamic-admission.ts';
import { NamespaceLifecycle, lookupNamespaces } from './namespace-lifecycle.ts';
import type { ObjectLookup } from './object-lookup.ts';
import { AlwaysAdmit, AlwaysDeny } from './plugins/always.ts';
import { AlwaysPullImages } from './plugins/always-pull-images.ts';
import {
  CertificateApproval,
  CertificateSigning,
  CertificateSubjectRestriction,
  ClusterTrustBundleAttest,
} from './plugins/certificates.ts';
import { DefaultIngressClass, DefaultStorageClass } from './plugins/default-class.ts';
import { DefaultTolerationSeconds, type DefaultTolerations } from './plugins/default-toleration-seconds.ts';
import { DenyServiceExternalIPs } from './plugins/deny-service-external-ips.ts';
import { EventRateLimit, type EventLimit } from './plugins/event-rate-limit.ts';
import { ExtendedResourceToleration } from './plugins/extended-resource-toleration.ts';
import { ImagePolicyWebhook, type ImagePolicy } from './plugins/image-policy-webhook.ts';
import { LimitPodHardAntiAffinityTopology } from './plugins/limit-pod-hard-anti-affinity-topology.ts';
import { LimitRanger } from './plugins/limit-ranger.ts';
import { NamespaceExists, NamespaceAutoProvision, type NamespaceCreator } from './plugins/namespace-exists.ts';
import { NodeDeclaredFeatureValidator } from './plugins/node-declared-feature-validator.ts';
import { NodeRestriction, type NodeRestrictionOptions } from './plugins/node-restriction/node-restriction.ts';
import { PersistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.ts';
import { PodNodeSelector, type NodeSelectorConfig } from './plugins/pod-node-selector.ts';
import { PodResizeValidator } from './plugins/pod-resize-validator.ts';
import { PodSecurity, type PodSecurityOptions } from './plugins/pod-security/pod-security.ts';
import { PodTolerationRestriction, type TolerationConfig } from './plugins/pod-toleration-restriction.ts';
import { PodTopologyLabels } from './plugins/pod-topology-labels.ts';
import { Priority } from './plugins/priority.ts';
import type { LimitedResource } from './plugins/resource-quota/limited-resources.ts';
import type { QuotaStatusWriter } from './plugins/resource-quota/quota-access.ts';
import { ResourceQuota } from './plugins/resource-quota/resource-quota.ts';
import { RuntimeClass } from './plugins/runtime-class.ts';
import { ServiceAccount } from './plugins/service-account.ts';
import { PodGroupWorkloadExists, PodGroupProtection } from './plugins/pod-group.ts';
import { StorageObjectInUseProtection } from './plugins/storage-object-in-use-protection.ts';
import { TaintNodesByCondition } from './plugins/taint-nodes-by-condition.ts';
import type { PluginFactory } from './registry.ts';

/** What the plugins need of the server that runs them. */
export interface PluginDependencies {
  readonly lookup: ObjectLookup;
  /** Webhooks and policies that users configure with objects; absent = there are none. */
  readonly dynamic?: DynamicAdmission;
  readonly authorizer: Authorizer;
  readonly writeQuotaStatus: QuotaStatusWriter;
  readonly createNamespace: NamespaceCreator;
  readonly limitedResources?: readonly LimitedResource[];
  readonly tolerations?: DefaultTolerations;
  readonly podSecurity?: PodSecurityOptions;
  readonly podNodeSelector?: NodeSelectorConfig;
  readonly podTolerations?: TolerationConfig;
  readonly eventLimits?: readonly EventLimit[];
  readonly imagePolicy?: ImagePolicy;
  readonly nodeRestriction?: NodeRestrictionOptions;
}

/** The plugins that every server of the chain can run, servers of custom resources included. */
export const genericPlugins = (
  needed: Pick<PluginDependencies, 'lookup' | 'writeQuotaStatus' | 'authorizer' | 'dynamic' | 'limitedResources'>,
): Readonly<Record<string, PluginFactory>> => ({
  ...extensionPlugins(needed),
  AlwaysAdmit: () => new AlwaysAdmit(),
  NamespaceExists: () => new NamespaceExists(needed.lookup),
  ResourceQuota: () => new ResourceQuota(needed.lookup, needed.writeQuotaStatus, needed.limitedResources),
  AlwaysDeny: () => new AlwaysDeny(),
});

/** The plugins of an extension API server. After RegisterAllAdmissionPlugins of k8s.io/apiserver/pkg/server. */
export const extensionPlugins = (
  needed: Pick<PluginDependencies, 'lookup' | 'authorizer' | 'dynamic'>,
): Readonly<Record<string, PluginFactory>> => ({
  ...dynamicPlugins(needed),
  NamespaceLifecycle: () => new NamespaceLifecycle(lookupNamespaces(needed.lookup)),
});

const imagePolicyPlugin = (policy: ImagePolicy) => ({ ImagePolicyWebhook: () => new ImagePolicyWebhook(policy) });

/** The plugins of the server of the built-in kinds, for `composeAdmission`. */
export function builtinPlugins(needed: PluginDependencies): Readonly<Record<string, PluginFactory>> {
  const { lookup, authorizer } = needed;
  return {
    ...genericPlugins(needed),
    NamespaceAutoProvision: () => new NamespaceAutoProvision(lookup, needed.createNamespace),
    LimitPodHardAntiAffinityTopology: () => new LimitPodHardAntiAffinityTopology(),
    LimitRanger: () => new LimitRanger(lookup),
    ServiceAccount: () => new ServiceAccount(lookup),
    NodeRestriction: () => new NodeRestriction(lookup, authorizer, needed.nodeRestriction),
    TaintNodesByCondition: () => new TaintNodesByCondition(),
    AlwaysPullImages: () => new AlwaysPullImages(),
    ...(needed.imagePolicy === undefined ? {} : imagePolicyPlugin(needed.imagePolicy)),
    PodSecurity: () => new PodSecurity(lookup, needed.podSecurity),
    PodNodeSelector: () => new PodNodeSelector(lookup, needed.podNodeSelector),
    Priority: () => new Priority(lookup),
    DefaultTolerationSeconds: () => new DefaultTolerationSeconds(needed.tolerations),
    PodTolerationRestriction: () => new PodTolerationRestriction(lookup, needed.podTolerations),
    EventRateLimit: () => new EventRateLimit(needed.eventLimits ?? []),
    ExtendedResourceToleration: () => new ExtendedResourceToleration(),
    DefaultStorageClass: () => new DefaultStorageClass(lookup),
    StorageObjectInUseProtection: () => new StorageObjectInUseProtection(),
    PodGroupProtection: () => new PodGroupProtection(),
    PodGroupWorkloadExists: () => new PodGroupWorkloadExists(lookup),
    PersistentVolumeClaimResize: () => new PersistentVolumeClaimResize(lookup),
    RuntimeClass: () => new RuntimeClass(lookup),
    CertificateApproval: () => new CertificateApproval(authorizer),
    CertificateSigning: () => new CertificateSigning(authorizer),
    ClusterTrustBundleAttest: () => new ClusterTrustBundleAttest(authorizer),
    CertificateSubjectRestriction: () => new CertificateSubjectRestriction(),
    DefaultIngressClass: () => new DefaultIngressClass(lookup),
    DenyServiceExternalIPs: () => new DenyServiceExternalIPs(),
    PodTopologyLabels: () => new PodTopologyLabels(lookup),
    NodeDeclaredFeatureValidator: () => new NodeDeclaredFeatureValidator(lookup),
    PodResizeValidator: () => new PodResizeValidator(lookup),
  };
}
