/** A kind whose objects the administrator of a namespace may make large. */
export interface LargeKind {
  readonly name: string;
  /** The collection. */
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** The object but for its kind and its name. It has 0.5 to 1.4 MB. */
  readonly object: (name: string) => Readonly<Record<string, unknown>> & { readonly metadata?: object };
}

const list = <Item>(count: number, item: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => item(i));

const rbac = 'rbac.authorization.k8s.io';
const container = (variables: number) => ({
  name: 'main',
  image: 'main',
  env: list(variables, (i) => ({ name: `VARIABLE_${i}`, value: `value-${i}` })),
});

const pathOf = (apiVersion: string, plural: string) =>
  `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}/namespaces/bench-writes/${plural}`;

const large = (
  name: string,
  apiVersion: string,
  kind: string,
  plural: string,
  object: LargeKind['object'],
): LargeKind => ({ name, apiVersion, kind, path: pathOf(apiVersion, plural), object });

/** What is written, the shapes that found faults among them: many small members, long texts, owners, finalizers, rules, subjects, ports. */
export const largeKinds: readonly LargeKind[] = [
  large('config maps of many keys', 'v1', 'ConfigMap', 'configmaps', () => ({
    data: Object.fromEntries(list(40_000, (i) => [`key-${i}`, `value${i}`])),
  })),
  large('config maps of one text', 'v1', 'ConfigMap', 'configmaps', () => ({ data: { text: 'x'.repeat(1_000_000) } })),
  large('config maps of many owners', 'v1', 'ConfigMap', 'configmaps', (name) => ({
    metadata: {
      ownerReferences: list(8_000, (i) => ({ apiVersion: 'v1', kind: 'Secret', name: `s${i}`, uid: `${name}-${i}` })),
    },
  })),
  large('config maps of many finalizers', 'v1', 'ConfigMap', 'configmaps', (name) => ({
    metadata: { finalizers: list(20_000, (i) => `example.com/${name}-${i}`) },
  })),
  large('roles', `${rbac}/v1`, 'Role', 'roles', () => ({
    rules: list(8_000, (i) => ({ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: [`n${i}`] })),
  })),
  large('role bindings', `${rbac}/v1`, 'RoleBinding', 'rolebindings', () => ({
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
    subjects: list(14_000, (i) => ({ apiGroup: rbac, kind: 'User', name: `u${i}` })),
  })),
  large('services', 'v1', 'Service', 'services', () => ({
    spec: {
      clusterIP: 'None',
      selector: { app: 'main' },
      ports: list(9_000, (i) => ({ name: `p${i}`, port: i + 1, protocol: 'TCP', targetPort: i + 1 })),
    },
  })),
  large('pods', 'v1', 'Pod', 'pods', () => ({ spec: { containers: [container(14_000)] } })),
  large('deployments', 'apps/v1', 'Deployment', 'deployments', (name) => ({
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [container(14_000)] } },
    },
  })),
  large('network policies', 'networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', () => ({
    spec: {
      podSelector: {},
      ingress: list(6_000, (i) => ({
        ports: [{ port: i + 1, protocol: 'TCP' }],
        from: [{ ipBlock: { cidr: `10.${i >> 8}.${i & 255}.0/24` } }],
      })),
    },
  })),
];
