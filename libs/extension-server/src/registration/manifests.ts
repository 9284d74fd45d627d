import type { GroupVersion, KubeObject } from '@apichain/meta';
import { versionPriority } from './group-versions.ts';
import { fieldManager, registrationLabels } from './registered-objects.ts';
import { routingTo, type RegistrationTarget } from './target.ts';

/** What is registered for a server. */
export interface RegistrationContent {
  /** The server's name: the name of its Service and a label of everything that is made for it. Unique in the cluster. */
  readonly server: string;
  /** All group-versions of the server. */
  readonly groupVersions: readonly GroupVersion[];
  readonly target: RegistrationTarget;
  /** A hash of the server's resources, if it is known. A change of it makes aggregators read the server's discovery and OpenAPI again. */
  readonly revision?: string | undefined;
  /** PEM: the authorities of the server's certificate. */
  readonly caBundle: string;
  /** The user as which the server calls the core API. It gets the rights that an extension server needs; none = no rights are given. */
  readonly user?: string;
}

/**
 * The annotation of an APIService with the hash of the server's resources. Nobody reads it: an aggregator, also that of kube-apiserver, reads discovery
 * and OpenAPI of a server at once when its APIService changes, and otherwise every 30 or 60 seconds.
 */
const resourcesAnnotation = 'apichain/resources';

/** That of custom resources: built-in groups come first in discovery. */
const groupPriorityMinimum = 1000;
const rbac = 'rbac.authorization.k8s.io';

/** The objects of a registration, in the order in which they are applied: the APIServices come last, when all they refer to exists. */
export function registrationObjects(content: RegistrationContent): KubeObject[] {
  const { server, user } = content;
  const objects = [
    ...routingTo(server, content.target).objects,
    ...(user === undefined ? [] : rightsOf(server, user)),
    ...apiServicesOf(content),
  ];
  return objects.map((object) => {
    const { metadata } = object;
    return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...registrationLabels(server) } } };
  });
}

/** The name of an APIService: `VERSION.GROUP`. */
export const apiServiceName = ({ group, version }: GroupVersion): string => `${version}.${group}`;

function apiServicesOf(content: RegistrationContent): KubeObject[] {
  const { groupVersions, server, target, caBundle, revision } = content;
  const { service, annotations: ofRouting } = routingTo(server, target);
  const annotations = { ...ofRouting, ...(revision === undefined ? {} : { [resourcesAnnotation]: revision }) };
  return groupVersions.map(({ group, version }) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {
      name: apiServiceName({ group, version }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      group,
      version,
      groupPriorityMinimum,
      versionPriority: versionPriority(version),
      caBundle: Buffer.from(caBundle).toString('base64'),
      service: { namespace: service.namespace, name: service.name, port: service.port },
    },
  }));
}

/** The resources of the core API that an extension server reads: for its admission, and for priority and fairness. */
const readResources: Readonly<Record<string, readonly string[]>> = {
  '': ['namespaces'],
  'admissionregistration.k8s.io': [
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'validatingwebhookconfigurations',
  ],
  'flowcontrol.apiserver.k8s.io': ['flowschemas', 'prioritylevelconfigurations'],
};

/**
 * The rights of an extension server: to delegate authentication and authorization, to read the authorities of the front proxy, and to read what
 * its admission needs. Source: https://kubernetes.io/docs/tasks/extend-kubernetes/setup-extension-api-server/
 */
function rightsOf(server: string, user: string): KubeObject[] {
  const name = `${fieldManager}:${server}`;
  const subjects = [subjectOf(user)];
  const apiVersion = `${rbac}/v1`;
  const roleRef = (kind: string, role: string) => ({ apiGroup: rbac, kind, name: role });
  return [
    {
      apiVersion,
      kind: 'ClusterRole',
      metadata: { name },
      rules: Object.entries(readResources).map(([group, resources]) => ({
        apiGroups: [group],
        resources: [...resources],
        verbs: ['get', 'list', 'watch'],
      })),
    },
    { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef: roleRef('ClusterRole', name), subjects },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: `${name}:auth-delegator` },
      roleRef: roleRef('ClusterRole', 'system:auth-delegator'),
      subjects,
    },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name: `${name}:auth-reader`, namespace: 'kube-system' },
      roleRef: roleRef('Role', 'extension-apiserver-authentication-reader'),
      subjects,
    },
  ];
}

/** The RBAC subject of a user name. That of a ServiceAccount is `system:serviceaccount:NAMESPACE:NAME`. */
function subjectOf(user: string): Record<string, string> {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined
    ? { apiGroup: rbac, kind: 'User', name: user }
    : { kind: 'ServiceAccount', namespace, name };
}
