import { nodeRules, type PolicyRule } from '@apichain/authz';
import { events, paths, read, readWrite, rule, write } from './rule.ts';

/** A default ClusterRole. */
interface DefaultClusterRole {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules?: readonly PolicyRule[];
  /** A controller aggregates the rules of the roles with this label into this role. */
  readonly aggregates?: string;
}

const aggregateTo = (role: string): string => `rbac.authorization.k8s.io/aggregate-to-${role}`;
const labelled = (role: string): Readonly<Record<string, string>> => ({ [aggregateTo(role)]: 'true' });

const authentication = 'authentication.k8s.io';
const authorization = 'authorization.k8s.io';
const certificates = 'certificates.k8s.io';
const coordination = 'coordination.k8s.io';
const discovery = 'discovery.k8s.io';
const networking = 'networking.k8s.io';
const rbac = 'rbac.authorization.k8s.io';
const resource = 'resource.k8s.io';
const storage = 'storage.k8s.io';

const reviewAccess = [
  rule('create', authentication, 'tokenreviews'),
  rule('create', authorization, 'subjectaccessreviews'),
];

const view: readonly PolicyRule[] = [
  rule(
    read,
    'core',
    'pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status endpoints persistentvolumeclaims persistentvolumeclaims/status configmaps',
  ),
  rule(
    read,
    'core',
    'limitranges resourcequotas bindings pods/status resourcequotas/status namespaces/status replicationcontrollers/status pods/log',
  ),
  rule(read, 'core', 'namespaces'),
  rule(read, 'core events.k8s.io', 'events'),
  rule(read, discovery, 'endpointslices'),
  rule(
    read,
    'apps',
    'controllerrevisions statefulsets statefulsets/status statefulsets/scale daemonsets daemonsets/status deployments deployments/status deployments/scale replicasets replicasets/status replicasets/scale',
  ),
  rule(read, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  rule(read, 'batch', 'jobs cronjobs cronjobs/status jobs/status'),
  rule(
    read,
    'extensions',
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status replicasets replicasets/scale replicasets/status replicationcontrollers/scale networkpolicies',
  ),
  rule(read, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
  rule(read, networking, 'networkpolicies ingresses ingresses/status'),
  rule(read, resource, 'resourceclaims resourceclaims/status resourceclaimtemplates'),
];

const edit: readonly PolicyRule[] = [
  rule(read, 'core', 'pods/attach pods/proxy pods/exec pods/portforward secrets services/proxy'),
  rule('impersonate', 'core', 'serviceaccounts'),
  rule(write, 'core', 'pods pods/attach pods/proxy pods/exec pods/portforward'),
  rule('create', 'core', 'pods/eviction'),
  rule(
    write,
    'core',
    'replicationcontrollers replicationcontrollers/scale serviceaccounts services services/proxy persistentvolumeclaims configmaps secrets',
  ),
  rule('create', 'core', 'serviceaccounts/token'),
  rule(write, 'core events.k8s.io', 'events'),
  rule(
    write,
    'apps',
    'statefulsets statefulsets/scale daemonsets deployments deployments/scale deployments/rollback replicasets replicasets/scale',
  ),
  rule(write, 'autoscaling', 'horizontalpodautoscalers'),
  rule(write, 'batch', 'jobs cronjobs'),
  rule(
    write,
    'extensions',
    'daemonsets deployments deployments/scale deployments/rollback ingresses replicasets replicasets/scale replicationcontrollers/scale networkpolicies',
  ),
  rule(write, 'policy', 'poddisruptionbudgets'),
  rule(write, networking, 'networkpolicies ingresses'),
  rule(readWrite, coordination, 'leases'),
  rule(write, resource, 'resourceclaims resourceclaimtemplates'),
];

const scheduler: readonly PolicyRule[] = [
  events,
  rule('create', coordination, 'leases'),
  rule(`update ${read}`, coordination, 'leases', 'kube-scheduler'),
  rule(readWrite, coordination, 'leasecandidates'),
  rule(read, 'core', 'nodes'),
  rule(`delete ${read}`, 'core', 'pods'),
  rule('create', 'core', 'pods/binding bindings'),
  rule('patch update', 'core', 'pods/status'),
  rule(read, 'core', 'services replicationcontrollers'),
  rule(read, 'apps extensions', 'replicasets'),
  rule(read, 'apps', 'statefulsets'),
  rule(read, 'policy', 'poddisruptionbudgets'),
  rule(read, 'core', 'persistentvolumeclaims persistentvolumes'),
  ...reviewAccess,
  rule(read, storage, 'csinodes'),
  rule(read, storage, 'volumeattachments'),
  rule(read, 'core', 'namespaces'),
  rule(read, storage, 'csidrivers'),
  rule(read, storage, 'csistoragecapacities'),
  rule(read, resource, 'deviceclasses'),
  rule(`patch update ${read}`, resource, 'resourceclaims'),
  rule(`patch update ${read}`, resource, 'resourceclaims/status'),
  rule('update', 'core', 'pods/finalizers'),
  rule(read, resource, 'resourceslices'),
  rule('create delete', resource, 'resourceclaims'),
  rule('patch update', resource, 'resourceclaims/binding'),
];

const approver = (name: string, signer: string): DefaultClusterRole => ({
  name: `system:certificates.k8s.io:${name}`,
  rules: [rule('approve', certificates, 'signers', signer)],
});

/** https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings */
export const clusterRoles: readonly DefaultClusterRole[] = [
  { name: 'cluster-admin', rules: [rule('*', '*', '*'), paths('*', '*')] },
  {
    name: 'system:discovery',
    rules: [paths('/livez /readyz /healthz /version /version/ /openapi /openapi/* /api /api/* /apis /apis/*')],
  },
  {
    name: 'system:monitoring',
    rules: [
      paths('/metrics /metrics/slis /livez /readyz /healthz /livez/* /readyz/* /healthz/* /flagz /statusz'),
      rule('get', 'core', 'nodes/metrics'),
    ],
  },
  {
    name: 'system:basic-user',
    rules: [
      rule('create', authorization, 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      rule('create', authentication, 'selfsubjectreviews'),
    ],
  },
  { name: 'system:public-info-viewer', rules: [paths('/livez /readyz /healthz /version /version/')] },
  { name: 'admin', aggregates: aggregateTo('admin') },
  { name: 'edit', labels: labelled('admin'), aggregates: aggregateTo('edit') },
  { name: 'view', labels: labelled('edit'), aggregates: aggregateTo('view') },
  {
    name: 'system:aggregate-to-admin',
    labels: labelled('admin'),
    rules: [rule('create', authorization, 'localsubjectaccessreviews'), rule(readWrite, rbac, 'roles rolebindings')],
  },
  { name: 'system:aggregate-to-edit', labels: labelled('edit'), rules: edit },
  { name: 'system:aggregate-to-view', labels: labelled('view'), rules: view },
  {
    name: 'system:heapster',
    rules: [rule(read, 'core', 'events pods nodes namespaces'), rule(read, 'extensions', 'deployments')],
  },
  { name: 'system:node', rules: nodeRules },
  {
    name: 'system:node-problem-detector',
    rules: [rule('get', 'core', 'nodes'), rule('patch', 'core', 'nodes/status'), events],
  },
  {
    name: 'system:kubelet-api-admin',
    rules: [
      rule(read, 'core', 'nodes'),
      rule('proxy', 'core', 'nodes'),
      rule('*', 'core', 'nodes/proxy nodes/metrics nodes/stats nodes/log'),
      rule('*', 'core', 'nodes/configz nodes/healthz nodes/pods'),
    ],
  },
  { name: 'system:node-bootstrapper', rules: [rule(`create ${read}`, certificates, 'certificatesigningrequests')] },
  { name: 'system:auth-delegator', rules: reviewAccess },
  { name: 'system:kube-aggregator', rules: [rule(read, 'core', 'services endpoints')] },
  {
    name: 'system:kube-controller-manager',
    rules: [
      events,
      rule('create', coordination, 'leases'),
      rule('get update', coordination, 'leases', 'kube-controller-manager'),
      rule('create', 'core', 'secrets serviceaccounts'),
      rule('delete', 'core', 'secrets'),
      rule('get', 'core', 'namespaces secrets serviceaccounts configmaps'),
      rule('update', 'core', 'secrets serviceaccounts'),
      ...reviewAccess,
      rule('list watch', '*', '*'),
      rule('create', 'core', 'serviceaccounts/token'),
    ],
  },
  { name: 'system:kube-dns', rules: [rule('list watch', 'core', 'endpoints services')] },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      rule(`create delete ${read}`, 'core', 'persistentvolumes'),
      rule(`update ${read}`, 'core', 'persistentvolumeclaims'),
      rule(read, storage, 'storageclasses'),
      rule('watch', 'core', 'events'),
      events,
    ],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    rules: [rule('create', certificates, 'certificatesigningrequests/nodeclient')],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    rules: [rule('create', certificates, 'certificatesigningrequests/selfnodeclient')],
  },
  {
    name: 'system:volume-scheduler',
    rules: [
      rule(`patch update ${read}`, 'core', 'persistentvolumes'),
      rule(read, storage, 'storageclasses'),
      rule(`patch update ${read}`, 'core', 'persistentvolumeclaims'),
    ],
  },
  approver('legacy-unknown-approver', 'kubernetes.io/legacy-unknown'),
  approver('kubelet-serving-approver', 'kubernetes.io/kubelet-serving'),
  approver('kube-apiserver-client-approver', 'kubernetes.io/kube-apiserver-client'),
  approver('kube-apiserver-client-kubelet-approver', 'kubernetes.io/kube-apiserver-client-kubelet'),
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      paths('/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/'),
    ],
  },
  {
    name: 'system:node-proxier',
    rules: [
      rule('list watch', 'core', 'services endpoints'),
      rule(read, 'core', 'nodes'),
      events,
      rule('list watch', networking, 'servicecidrs'),
      rule('list watch', discovery, 'endpointslices'),
    ],
  },
  { name: 'system:kube-scheduler', rules: scheduler },
];
