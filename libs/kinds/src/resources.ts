import type { ResourceInfo } from '@apichain/apiserver';
import kinds from './generated/kinds.json' with { type: 'json' };

/** A subresource as discovery lists it. */
interface BuiltinSubresource {
  readonly name: string;
  readonly kind: string;
  /** Group and version of its kind where they differ from the resource's (Scale, Eviction, TokenRequest). */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly connect?: boolean;
  readonly methods?: readonly string[];
  /** Whether further path segments may follow. */
  readonly path?: boolean;
}

/** A built-in resource in one version. */
export interface BuiltinResource {
  readonly group: string;
  readonly version: string;
  readonly info: ResourceInfo;
  readonly verbs: readonly string[];
  readonly subresources: readonly BuiltinSubresource[];
  readonly storageVersionHash?: string;
  readonly allowCreateOnUpdate: boolean;
  readonly allowUnconditionalUpdate: boolean;
  /** The resource is served only while this feature gate is enabled. */
  readonly featureGate?: string;
}

/** A group-version of Kubernetes with its resources, as discovery lists them. */
export interface BuiltinGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly enabledByDefault: boolean;
  readonly preferred: boolean;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  /** The server of the chain that serves it: `kube-apiserver`, `apiextensions-apiserver` or `kube-aggregator`. */
  readonly server: string;
  readonly resources: readonly BuiltinResource[];
}

interface RawResource {
  plural: string;
  singular: string;
  kind: string;
  namespaced: boolean;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  listKind?: string;
  storageVersionHash?: string;
  allowCreateOnUpdate?: boolean;
  allowUnconditionalUpdate?: boolean;
  featureGate?: string;
  subresources?: BuiltinSubresource[];
}
interface RawGroupVersion {
  group: string;
  version: string;
  enabledByDefault: boolean;
  preferred?: boolean;
  groupPriorityMinimum?: number;
  versionPriority?: number;
  server: string;
  resources: RawResource[];
}

function resourceFrom(group: string, version: string, raw: RawResource): BuiltinResource {
  return {
    group,
    version,
    info: {
      kind: { group, version, kind: raw.kind },
      listKind: raw.listKind ?? '',
      plural: raw.plural,
      singular: raw.singular,
      namespaced: raw.namespaced,
      shortNames: raw.shortNames ?? [],
      categories: raw.categories ?? [],
    },
    verbs: raw.verbs,
    subresources: raw.subresources ?? [],
    storageVersionHash: raw.storageVersionHash,
    allowCreateOnUpdate: raw.allowCreateOnUpdate ?? false,
    allowUnconditionalUpdate: raw.allowUnconditionalUpdate ?? false,
    featureGate: raw.featureGate,
  };
}

/** Every group-version that Kubernetes 1.36 knows, enabled or not, as data. */
export const builtinGroupVersions: readonly BuiltinGroupVersion[] = Object.values(
  kinds as Record<string, RawGroupVersion>,
).map((raw) => ({
  group: raw.group,
  version: raw.version,
  enabledByDefault: raw.enabledByDefault,
  preferred: raw.preferred ?? false,
  groupPriorityMinimum: raw.groupPriorityMinimum ?? 0,
  versionPriority: raw.versionPriority ?? 0,
  server: raw.server,
  resources: raw.resources.map((resource) => resourceFrom(raw.group, raw.version, resource)),
}));
