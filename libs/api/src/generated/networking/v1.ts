// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { IntOrString } from '../../scalars.ts';

export type HTTPIngressPath = {
  path?: string;
  /** `Exact`, `Prefix`, `ImplementationSpecific` */
  pathType?: PathType | null;
  backend?: IngressBackend;
  [emptied]?: readonly string[];
};

export type HTTPIngressRuleValue = {
  paths?: HTTPIngressPath[] | null;
  [emptied]?: readonly string[];
};

export type IPAddress = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: IPAddressSpec;
  [emptied]?: readonly string[];
};

export type IPAddressList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: IPAddress[] | null;
  [emptied]?: readonly string[];
};

export type IPAddressSpec = {
  parentRef?: ParentReference;
  [emptied]?: readonly string[];
};

export type IPBlock = {
  cidr?: string;
  except?: string[];
  [emptied]?: readonly string[];
};

export type Ingress = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: IngressSpec;
  status?: IngressStatus;
  [emptied]?: readonly string[];
};

export type IngressBackend = {
  service?: IngressServiceBackend;
  resource?: core_v1.TypedLocalObjectReference;
  [emptied]?: readonly string[];
};

export type IngressClass = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: IngressClassSpec;
  [emptied]?: readonly string[];
};

export type IngressClassList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: IngressClass[] | null;
  [emptied]?: readonly string[];
};

export type IngressClassParametersReference = {
  apiGroup?: string;
  kind?: string;
  name?: string;
  scope?: string | null;
  namespace?: string;
  [emptied]?: readonly string[];
};

export type IngressClassSpec = {
  controller?: string;
  parameters?: IngressClassParametersReference;
  [emptied]?: readonly string[];
};

export type IngressList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Ingress[] | null;
  [emptied]?: readonly string[];
};

export type IngressLoadBalancerIngress = {
  ip?: string;
  hostname?: string;
  ports?: IngressPortStatus[];
  [emptied]?: readonly string[];
};

export type IngressLoadBalancerStatus = {
  ingress?: IngressLoadBalancerIngress[];
  [emptied]?: readonly string[];
};

export type IngressPortStatus = {
  port?: number;
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: core_v1.Protocol;
  error?: string;
  [emptied]?: readonly string[];
};

export type IngressRule = {
  host?: string;
  http?: HTTPIngressRuleValue;
  [emptied]?: readonly string[];
};

export type IngressRuleValue = {
  http?: HTTPIngressRuleValue;
  [emptied]?: readonly string[];
};

export type IngressServiceBackend = {
  name?: string;
  port?: ServiceBackendPort;
  [emptied]?: readonly string[];
};

export type IngressSpec = {
  ingressClassName?: string;
  defaultBackend?: IngressBackend;
  tls?: IngressTLS[];
  rules?: IngressRule[];
  [emptied]?: readonly string[];
};

export type IngressStatus = {
  loadBalancer?: IngressLoadBalancerStatus;
  [emptied]?: readonly string[];
};

export type IngressTLS = {
  hosts?: string[];
  secretName?: string;
  [emptied]?: readonly string[];
};

export type NetworkPolicy = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: NetworkPolicySpec;
  [emptied]?: readonly string[];
};

export type NetworkPolicyEgressRule = {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
  [emptied]?: readonly string[];
};

export type NetworkPolicyIngressRule = {
  ports?: NetworkPolicyPort[];
  from?: NetworkPolicyPeer[];
  [emptied]?: readonly string[];
};

export type NetworkPolicyList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: NetworkPolicy[] | null;
  [emptied]?: readonly string[];
};

export type NetworkPolicyPeer = {
  podSelector?: meta_v1.LabelSelector;
  namespaceSelector?: meta_v1.LabelSelector;
  ipBlock?: IPBlock;
  [emptied]?: readonly string[];
};

export type NetworkPolicyPort = {
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: core_v1.Protocol;
  port?: IntOrString;
  endPort?: number;
  [emptied]?: readonly string[];
};

export type NetworkPolicySpec = {
  podSelector?: meta_v1.LabelSelector;
  ingress?: NetworkPolicyIngressRule[];
  egress?: NetworkPolicyEgressRule[];
  /** `Ingress`, `Egress` */
  policyTypes?: PolicyType[];
  [emptied]?: readonly string[];
};

export type ParentReference = {
  group?: string;
  resource?: string;
  namespace?: string;
  name?: string;
  [emptied]?: readonly string[];
};

export type PathType = string;

export type PolicyType = string;

export type ServiceBackendPort = {
  name?: string;
  number?: number;
  [emptied]?: readonly string[];
};

export type ServiceCIDR = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ServiceCIDRSpec;
  status?: ServiceCIDRStatus;
  [emptied]?: readonly string[];
};

export type ServiceCIDRList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ServiceCIDR[] | null;
  [emptied]?: readonly string[];
};

export type ServiceCIDRSpec = {
  cidrs?: string[];
  [emptied]?: readonly string[];
};

export type ServiceCIDRStatus = {
  conditions?: meta_v1.Condition[];
  [emptied]?: readonly string[];
};
