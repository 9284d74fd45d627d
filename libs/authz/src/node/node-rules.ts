import type { PolicyRule } from '../rbac/policy-rule.ts';

const read = ['get', 'list', 'watch'];
const rule = (verbs: readonly string[], apiGroups: readonly string[], ...resources: string[]): PolicyRule => ({
  verbs: verbs.toSorted(),
  apiGroups,
  resources,
});
const core = [''];
const authorization = ['authorization.k8s.io'];
const storage = ['storage.k8s.io'];
const resource = ['resource.k8s.io'];
const own = ['get', 'create', 'update', 'patch', 'delete'];

/**
 * The permissions of a kubelet, regardless of the node that an object belongs to: the rules of the ClusterRole system:node. The Node authorizer
 * restricts the parts that concern objects of other nodes. Source: NodeRules of plugin/pkg/auth/authorizer/rbac/bootstrappolicy.
 */
export const nodeRules: readonly PolicyRule[] = [
  rule(['create'], ['authentication.k8s.io'], 'tokenreviews'),
  rule(['create'], authorization, 'localsubjectaccessreviews', 'subjectaccessreviews'),
  rule(read, core, 'services'),
  rule(['create', ...read], core, 'nodes'),
  rule(['update', 'patch'], core, 'nodes/status'),
  rule(['update', 'patch'], core, 'nodes'),
  rule(['create', 'update', 'patch'], ['', 'events.k8s.io'], 'events'),
  rule(read, core, 'pods'),
  rule(['create', 'delete'], core, 'pods'),
  rule(['update', 'patch'], core, 'pods/status'),
  rule(['create'], core, 'pods/eviction'),
  rule(read, core, 'configmaps', 'secrets'),
  rule(['get'], core, 'persistentvolumeclaims', 'persistentvolumes'),
  rule(['get'], core, 'endpoints'),
  rule(['create', ...read], ['certificates.k8s.io'], 'certificatesigningrequests'),
  rule(own, ['coordination.k8s.io'], 'leases'),
  rule(['get'], storage, 'volumeattachments'),
  rule(['create'], core, 'serviceaccounts/token'),
  rule(['get', 'update', 'patch'], core, 'persistentvolumeclaims/status'),
  rule(read, storage, 'csidrivers'),
  rule(own, storage, 'csinodes'),
  rule(read, ['node.k8s.io'], 'runtimeclasses'),
  rule(['get'], resource, 'resourceclaims'),
  rule(['deletecollection'], resource, 'resourceslices'),
  rule(['get'], core, 'serviceaccounts'),
];
