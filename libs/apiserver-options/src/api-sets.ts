import type { ServiceRouting } from '@apichain/admission';
import type { GroupResource } from '@apichain/meta';
import { FlagError } from './flag.ts';

/** The built-in resources that a chain serves: `--apis`. */
export interface ApiSet {
  readonly name: ApiSetName;
  /** Whether a built-in resource belongs to the set. Its versions are then served as `--runtime-config` says. */
  readonly serves: (resource: GroupResource) => boolean;
  /** Whether a resource of the group belongs to the set. */
  readonly servesGroup: (group: string) => boolean;
  /** Admission plugins that are on by default in kube-apiserver, but decide only about resources outside of the set. */
  readonly idlePlugins: readonly string[];
  /** The authorizers with which `apichain up` starts a chain, in the syntax of `--authorization-mode`. */
  readonly authorizationMode: string;
  /** The admission plugins that `apichain up` enables beside those that are on by default. */
  readonly admissionPlugins: readonly string[];
}

const apiSetNames = ['all', 'minimal'] as const;
type ApiSetName = (typeof apiSetNames)[number];

const every = 'every resource of the group';

/**
 * The resources of a control plane without containers, by group: those of Kubernetes' generic control plane (`GenericStorageProviders` in
 * pkg/controlplane/apiserver/apis.go and pkg/registry/core/rest/storage_core_generic.go of kubernetes 1.36), and of the servers around it.
 */
const minimalResources: Readonly<Record<string, typeof every | readonly string[]>> = {
  '': ['configmaps', 'events', 'namespaces', 'resourcequotas', 'secrets', 'serviceaccounts'],
  'admissionregistration.k8s.io': every,
  'apiextensions.k8s.io': every,
  'apiregistration.k8s.io': every,
  'authentication.k8s.io': every,
  'authorization.k8s.io': every,
  'certificates.k8s.io': every,
  'coordination.k8s.io': every,
  'events.k8s.io': every,
  'flowcontrol.apiserver.k8s.io': every,
  'internal.apiserver.k8s.io': every,
  'rbac.authorization.k8s.io': every,
  'storagemigration.k8s.io': every,
};

const members = new Map(Object.entries(minimalResources));

const sets: Readonly<Record<ApiSetName, ApiSet>> = {
  all: {
    name: 'all',
    serves: () => true,
    servesGroup: () => true,
    idlePlugins: [],
    authorizationMode: 'Node,RBAC',
    admissionPlugins: ['NodeRestriction'],
  },
  minimal: {
    name: 'minimal',
    serves: ({ group, resource }) => {
      const resources = members.get(group);
      return resources !== undefined && (resources === every || resources.includes(resource));
    },
    servesGroup: (group) => members.has(group),
    // After DefaultOffAdmissionPlugins in pkg/controlplane/apiserver/samples/generic/server/admission.go, and what decides about pods alone.
    idlePlugins: [
      'DefaultIngressClass',
      'DefaultStorageClass',
      'DefaultTolerationSeconds',
      'JobValidation',
      'LimitRanger',
      'NodeDeclaredFeatureValidator',
      'PersistentVolumeClaimResize',
      'PodGroupProtection',
      'PodGroupWorkloadExists',
      'PodResizeValidator',
      'PodSecurity',
      'PodTopologyLabels',
      'Priority',
      'RuntimeClass',
      'StorageObjectInUseProtection',
      'TaintNodesByCondition',
    ],
    authorizationMode: 'RBAC',
    admissionPlugins: [],
  },
};

/** The set of that name. Throws FlagError for another name. */
export function apiSet(name: string): ApiSet {
  const known = apiSetNames.find((candidate) => candidate === name);
  if (known === undefined)
    throw new FlagError(`--apis: ${JSON.stringify(name)} is not one of ${apiSetNames.join(', ')}`);
  return sets[known];
}

/** The set that the flags `--name=value` of a chain choose. Throws FlagError. */
export const apiSetOf = (flags: readonly string[]): ApiSet =>
  apiSet(flags.findLast((flag) => flag.startsWith('--apis='))?.slice('--apis='.length) ?? 'all');

/**
 * How the servers reach the service of a webhook or of an APIService. `endpoints` = `--enable-aggregator-routing`. Without Service objects, the
 * name is resolved by DNS, as in Kubernetes' generic control plane.
 */
export function serviceRouting(apis: ApiSet, endpoints: boolean): ServiceRouting {
  if (!apis.serves({ group: '', resource: 'services' })) return 'dns';
  return endpoints ? 'endpoints' : 'cluster-ip';
}
