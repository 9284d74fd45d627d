// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { IntOrString } from '../../scalars.ts';

export type HTTPIngressPath = {
  path?: string;
  /** `Exact`, `Prefix`, `ImplementationSpecific` */
  pathType?: PathType | null;
  backend?: IngressBackend;
};

export type HTTPIngressRuleValue = {
  paths?: HTTPIngressPath[] | null;
};

export type IPAddress = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: IPAddressSpec;
};

export type IPAddressList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: IPAddress[] | null;
};

export type IPAddressSpec = {
  parentRef?: ParentReference;
};

export type IPBlock = {
  cidr?: string;
  except?: string[];
};

export type Ingress = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: IngressSpec;
  status?: IngressStatus;
};

export type IngressBackend = {
  service?: IngressServiceBackend;
  resource?: core_v1.TypedLocalObjectReference;
};

export type IngressClass = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: IngressClassSpec;
};

export type IngressClassList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: IngressClass[] | null;
};

export type IngressClassParametersReference = {
  apiGroup?: string;
  kind?: string;
  name?: string;
  scope?: string | null;
  namespace?: string;
};

export type IngressClassSpec = {
  controller?: string;
  parameters?: IngressClassParametersReference;
};

export type IngressList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Ingress[] | null;
};

export type IngressLoadBalancerIngress = {
  ip?: string;
  hostname?: string;
  ports?: IngressPortStatus[];
};

export type IngressLoadBalancerStatus = {
  ingress?: IngressLoadBalancerIngress[];
};

export type IngressPortStatus = {
  port?: number;
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: core_v1.Protocol;
  error?: string;
};

export type IngressRule = {
  host?: string;
  http?: HTTPIngressRuleValue;
};

export type IngressRuleValue = {
  http?: HTTPIngressRuleValue;
};

export type IngressServiceBackend = {
  name?: string;
  port?: ServiceBackendPort;
};

export type IngressSpec = {
  ingressClassName?: string;
  defaultBackend?: IngressBackend;
  tls?: IngressTLS[];
  rules?: IngressRule[];
};

export type IngressStatus = {
  loadBalancer?: IngressLoadBalancerStatus;
};

export type IngressTLS = {
  hosts?: string[];
  secretName?: string;
};

export type NetworkPolicy = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: NetworkPolicySpec;
};

export type NetworkPolicyEgressRule = {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
};

export type NetworkPolicyIngressRule = {
  ports?: NetworkPolicyPort[];
  from?: NetworkPolicyPeer[];
};

export type NetworkPolicyList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: NetworkPolicy[] | null;
};

export type NetworkPolicyPeer = {
  podSelector?: meta_v1.LabelSelector;
  namespaceSelector?: meta_v1.LabelSelector;
  ipBlock?: IPBlock;
};

export type NetworkPolicyPort = {
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: core_v1.Protocol;
  port?: IntOrString;
  endPort?: number;
};

export type NetworkPolicySpec = {
  podSelector?: meta_v1.LabelSelector;
  ingress?: NetworkPolicyIngressRule[];
  egress?: NetworkPolicyEgressRule[];
  /** `Ingress`, `Egress` */
  policyTypes?: PolicyType[];
};

export type ParentReference = {
  group?: string;
  resource?: string;
  namespace?: string;
  name?: string;
};

export type PathType = string;

export type PolicyType = string;

export type ServiceBackendPort = {
  name?: string;
  number?: number;
};

export type ServiceCIDR = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ServiceCIDRSpec;
  status?: ServiceCIDRStatus;
};

export type ServiceCIDRList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ServiceCIDR[] | null;
};

export type ServiceCIDRSpec = {
  cidrs?: string[];
};

export type ServiceCIDRStatus = {
  conditions?: meta_v1.Condition[];
};
