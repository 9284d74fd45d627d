import type { PolicyRule, RoleRef, Subject } from '@apichain/authz';
import { controllerRules } from './controller-roles.ts';
import { events, read, rule } from './rule.ts';

const rbacGroup = 'rbac.authorization.k8s.io';
const group = (name: string): Subject => ({ apiGroup: rbacGroup, kind: 'Group', name });
const user = (name: string): Subject => ({ apiGroup: rbacGroup, kind: 'User', name });
const account = (name: string): Subject => ({ kind: 'ServiceAccount', name, namespace: 'kube-system' });

/** A default ClusterRoleBinding or, with a namespace, a RoleBinding. */
export interface DefaultBinding {
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

const toRole = (name: string, ...subjects: Subject[]): DefaultBinding => ({
  name,
  roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
  subjects,
});

const scheduler = 'system:kube-scheduler';
const controllerManager = 'system:kube-controller-manager';
const authenticated = group('system:authenticated');

/** https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings */
export const clusterRoleBindings: readonly DefaultBinding[] = [
  toRole('cluster-admin', group('system:masters')),
  toRole('system:monitoring', group('system:monitoring')),
  toRole('system:discovery', authenticated),
  toRole('system:basic-user', authenticated),
  toRole('system:public-info-viewer', authenticated, group('system:unauthenticated')),
  toRole('system:node-proxier', user('system:kube-proxy')),
  toRole(controllerManager, user(controllerManager)),
  toRole('system:kube-dns', account('kube-dns')),
  toRole(scheduler, user(scheduler)),
  toRole('system:volume-scheduler', user(scheduler)),
  // Without subjects, because the Node authorizer replaces this role.
  toRole('system:node'),
  toRole('system:service-account-issuer-discovery', group('system:serviceaccounts')),
  ...Object.keys(controllerRules).map((name) => toRole(`system:controller:${name}`, account(name))),
];

/** Roles and RoleBindings of one namespace. */
interface NamespacePolicy {
  readonly roles: readonly { readonly name: string; readonly rules: readonly PolicyRule[] }[];
  readonly bindings: readonly DefaultBinding[];
}

const inNamespace = (name: string, role: string, ...subjects: Subject[]): DefaultBinding => ({
  name,
  roleRef: { apiGroup: rbacGroup, kind: 'Role', name: role },
  subjects,
});
const locks = [
  rule(`create update ${read}`, 'coordination.k8s.io', 'leases'),
  rule(`create update ${read}`, 'coordination.k8s.io', 'leasecandidates'),
];
const authenticationReader = 'extension-apiserver-authentication-reader';

export const namespacePolicies: Readonly<Record<string, NamespacePolicy>> = {
  'kube-system': {
    roles: [
      { name: authenticationReader, rules: [rule(read, 'core', 'configmaps', 'extension-apiserver-authentication')] },
      { name: 'system:controller:bootstrap-signer', rules: [rule(read, 'core', 'secrets')] },
      { name: 'system:controller:cloud-provider', rules: [rule(`create ${read}`, 'core', 'configmaps')] },
      { name: 'system:controller:token-cleaner', rules: [rule(`delete ${read}`, 'core', 'secrets'), events] },
      { name: 'system::leader-locking-kube-controller-manager', rules: locks },
      { name: 'system::leader-locking-kube-scheduler', rules: locks },
    ],
    bindings: [
      inNamespace(
        'system::extension-apiserver-authentication-reader',
        authenticationReader,
        user(controllerManager),
        user(scheduler),
      ),
      inNamespace(
        'system::leader-locking-kube-controller-manager',
        'system::leader-locking-kube-controller-manager',
        user(controllerManager),
        account('kube-controller-manager'),
      ),
      inNamespace(
        'system::leader-locking-kube-scheduler',
        'system::leader-locking-kube-scheduler',
        user(scheduler),
        account('kube-scheduler'),
      ),
      ...['bootstrap-signer', 'cloud-provider', 'token-cleaner'].map((name) =>
        inNamespace(`system:controller:${name}`, `system:controller:${name}`, account(name)),
      ),
    ],
  },
  'kube-public': {
    roles: [
      {
        name: 'system:controller:bootstrap-signer',
        rules: [rule(read, 'core', 'configmaps'), rule('update', 'core', 'configmaps', 'cluster-info'), events],
      },
    ],
    bindings: [
      inNamespace(
        'system:controller:bootstrap-signer',
        'system:controller:bootstrap-signer',
        account('bootstrap-signer'),
      ),
    ],
  },
};
