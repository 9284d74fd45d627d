/** What somebody wants to do: with a resource, or with a path. */
export interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty = all namespaces, or a resource of the cluster. */
  readonly namespace: string;
  readonly name: string;
  /** Of a request that is not for a resource; empty otherwise. */
  readonly path: string;
}

/** Who wants it. */
export interface Asker {
  readonly name: string;
  readonly groups: readonly string[];
}

/** https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/role-v1/ */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
}

export interface Role {
  readonly metadata: Metadata;
  readonly rules?: readonly Rule[] | null;
}

export interface Binding {
  readonly metadata: Metadata;
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[] | null;
}

/** The roles and bindings that decide about a namespace. */
export interface Policy {
  readonly clusterRoles: readonly Role[];
  readonly roles: readonly Role[];
  readonly clusterRoleBindings: readonly Binding[];
  readonly roleBindings: readonly Binding[];
}

/** A rule that allows it, by a binding. */
export interface Grant {
  readonly binding: Binding;
  readonly bindingKind: 'ClusterRoleBinding' | 'RoleBinding';
  readonly role: Role;
  readonly roleKind: 'ClusterRole' | 'Role';
  readonly rule: Rule;
}

/** A role with a rule that would allow it, if it were bound. */
export type Offer = Pick<Grant, 'role' | 'roleKind' | 'rule'>;

const has = (values: readonly string[] | undefined, wanted: string): boolean =>
  values?.some((value) => value === '*' || value === wanted) === true;

/** Whether a rule covers a request: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources */
export function covers(rule: Rule, asked: Attributes): boolean {
  if (!has(rule.verbs, asked.verb)) return false;
  if (asked.path !== '') return rule.nonResourceURLs?.some((url) => isOfPath(url, asked.path)) === true;
  const { resource, subresource, name } = asked;
  const wanted = subresource === '' ? resource : `${resource}/${subresource}`;
  const isOfResource =
    has(rule.resources, wanted) || (subresource !== '' && rule.resources?.includes(`*/${subresource}`) === true);
  const names = rule.resourceNames ?? [];
  return has(rule.apiGroups, asked.group) && isOfResource && (names.length === 0 || names.includes(name));
}

const isOfPath = (url: string, path: string): boolean =>
  url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));

const serviceAccount = /^system:serviceaccount:([^:]+):(.+)$/;

/** Whether a binding is for somebody. The namespace of a ServiceAccount is that of the binding where it is not named. */
export function isBoundTo({ metadata, subjects }: Binding, { name, groups }: Asker): boolean {
  const [, accountNamespace, accountName] = serviceAccount.exec(name) ?? [];
  return (subjects ?? []).some((subject) => {
    if (subject.kind === 'User') return subject.name === name;
    if (subject.kind === 'Group') return groups.includes(subject.name);
    const namespace = subject.namespace ?? metadata.namespace;
    return subject.name === accountName && namespace === accountNamespace;
  });
}

/** The rules that allow it. Bindings of a namespace count only for a request in it. */
export function grantsOf(policy: Policy, asker: Asker, asked: Attributes): readonly Grant[] {
  const grants: Grant[] = [];
  const add = (bindings: readonly Binding[], bindingKind: Grant['bindingKind']) => {
    for (const binding of bindings.filter((one) => isBoundTo(one, asker))) {
      const roleKind = binding.roleRef.kind === 'Role' ? 'Role' : 'ClusterRole';
      const roles = roleKind === 'Role' ? policy.roles : policy.clusterRoles;
      const role = roles.find(({ metadata }) => metadata.name === binding.roleRef.name);
      const rule = role?.rules?.find((one) => covers(one, asked));
      if (role !== undefined && rule !== undefined) grants.push({ binding, bindingKind, role, roleKind, rule });
    }
  };
  add(policy.clusterRoleBindings, 'ClusterRoleBinding');
  if (asked.path === '' && asked.namespace !== '') add(policy.roleBindings, 'RoleBinding');
  return grants;
}

/** The roles that would allow it, those with the fewest rules first: they allow the least besides it. */
export function offersOf(policy: Policy, asked: Attributes): readonly Offer[] {
  const of = (roles: readonly Role[], roleKind: Offer['roleKind']) =>
    roles.flatMap((role): Offer[] => {
      const rule = role.rules?.find((one) => covers(one, asked));
      return rule === undefined ? [] : [{ role, roleKind, rule }];
    });
  const isInNamespace = asked.path === '' && asked.namespace !== '';
  return [...(isInNamespace ? of(policy.roles, 'Role') : []), ...of(policy.clusterRoles, 'ClusterRole')].sort(
    (a, b) => sizeOf(a.role) - sizeOf(b.role),
  );
}

const sizeOf = ({ rules }: Role): number =>
  (rules ?? []).reduce(
    (sum, { verbs, resources = [], nonResourceURLs = [] }) =>
      sum + weigh(verbs) * (weigh(resources) + weigh(nonResourceURLs)),
    0,
  );

/** A star is more than any list. */
const weigh = (values: readonly string[]): number => (values.includes('*') ? 1000 : values.length);

/** The binding that would allow it, as YAML for the editor. */
export function bindingOf({ role, roleKind }: Offer, { name }: Asker, { namespace, path }: Attributes): string {
  const isInNamespace = path === '' && namespace !== '';
  const account = serviceAccount.exec(name);
  const subject =
    account === null
      ? ['- kind: User', '  apiGroup: rbac.authorization.k8s.io', `  name: ${JSON.stringify(name)}`]
      : ['- kind: ServiceAccount', `  name: ${account[2] ?? ''}`, `  namespace: ${account[1] ?? ''}`];
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    `kind: ${isInNamespace ? 'RoleBinding' : 'ClusterRoleBinding'}`,
    'metadata:',
    '  name: ',
    ...(isInNamespace ? [`  namespace: ${namespace}`] : []),
    'roleRef:',
    '  apiGroup: rbac.authorization.k8s.io',
    `  kind: ${roleKind}`,
    `  name: ${JSON.stringify(role.metadata.name)}`,
    'subjects:',
    ...subject,
    '',
  ].join('\n');
}
