import type { TokenRequest } from '@apichain/api/authentication/v1';
import {
  defineResource,
  type ApiGroupInfo,
  type DefinedResource,
  type RegistryStore,
  type ResourceDefinition,
  type ResourceStorage,
  type ResourceVersion,
  type Strategy,
} from '@apichain/apiserver';
import type { ServiceAccountTokenIssuer } from '@apichain/authn';
import { rbacGroup } from '@apichain/authz';
import type { Binding } from '@apichain/api/core/v1';
import type { LabelSelector } from '@apichain/api/meta/v1';
import type { StoredKinds } from '@apichain/api/stored-kinds';
import { newNotImplemented, type KubeObject } from '@apichain/meta';
import type { Storage } from '@apichain/storage';
import { accessReviewStorage, type AccessReviewOptions } from './access-reviews.ts';
import {
  tableConvertor,
  selectorText,
  labelsText,
  storageVersion,
  CreateOnlyStorage,
  plainCodec,
  requireType,
  familiesOf,
  resourceKey,
  type Family,
  openGates,
  type OpenGate,
  indexedFields,
  rowOf,
  foreignReader,
  protobufMediaType,
  storedProtobuf,
  type StorageMediaType,
  builtinGroupVersions,
  type BuiltinGroupVersion,
  type BuiltinResource,
  checkRuntimeConfig,
  resourceEnabled,
  type RuntimeConfig,
  storagePath,
  registeredVersions,
} from '@apichain/kinds';
import { ComponentStatusStorage, type ComponentProbe } from './component-statuses.ts';
import { defaultKubeletOptions, Kubelets } from './connect/kubelets.ts';
import { connectStorages } from './connect/storages.ts';
import type { KindStore } from './kind-store.ts';
import type { OpenStorage } from './open-storage.ts';
import { podActions } from './pods/actions.ts';
import { bindPod } from './pods/binding.ts';
import { storedLabels, withAdminAccess } from './devices/admin-access.ts';
import { claimStatusStrategy } from './devices/status-access.ts';
import { paramAccessHooks, type StoredPolicy } from './policies/param-access.ts';
import { escalationHooks } from './rbac/escalation-check.ts';
import { StoredRoles } from './rbac/stored-roles.ts';
import { versionOf } from './served-version.ts';
import { requestToken } from './service-accounts/token-request.ts';
import type { serviceAllocationHooks } from './services/service-allocation.ts';
import { defaultServiceClusterIpRange } from './services/cluster-ip-allocator.ts';
import { defaultServiceNodePortRange } from './services/node-port-allocator.ts';
import { storedServiceHooks } from './services/stored-hooks.ts';
import { behaviourOf } from './strategies/table.ts';
import { storedObject } from './stored-object.ts';
import { strategyFor, subresourceStrategyFor, type StrategyOptions } from './strategies/interpreter.ts';
import { withoutMethods } from './without-methods.ts';

export interface BuiltinApiOptions extends AccessReviewOptions {
  /** Opens the store of one resource; called for every resource, so it must be cheap and lazy. */
  readonly openStorage: (options: OpenStorage) => Storage;
  readonly runtimeConfig?: RuntimeConfig;
  /** Which feature gates are open. Default: those of the release. */
  readonly openGate?: OpenGate;
  /** How objects are stored; either form is read. Default: JSON. */
  readonly storageMediaType?: StorageMediaType;
  /** `--service-cluster-ip-range`: one CIDR, or two of different families with a comma. */
  readonly serviceClusterIpRange?: string;
  /** `--service-node-port-range`, e.g. `30000-32767`. */
  readonly serviceNodePortRange?: string;
  /** Signs tokens of service accounts; undefined = `serviceaccounts/token` answers 501. */
  readonly tokenIssuer?: ServiceAccountTokenIssuer;
  /** `--allow-privileged`: containers may be privileged. Default: false. */
  readonly allowPrivileged?: boolean;
  /** `--event-ttl` in seconds. */
  readonly eventTtlSeconds?: number;
  /** What `componentstatuses` asks, by component. */
  readonly componentProbes?: Readonly<Record<string, ComponentProbe>>;
  /** How pods' streams and logs, and nodes, are reached. */
  readonly kubelets?: Kubelets;
}

/** The built-in API, ready to be installed. */
export interface BuiltinApi {
  /** Every group that has an enabled version, in the order of Kubernetes. */
  readonly groups: readonly ApiGroupInfo[];
  /** A stored resource by group and plural; undefined when none of its versions is enabled. */
  resource(group: string, plural: string): DefinedResource | undefined;
}

/** apiregistration.k8s.io and apiextensions.k8s.io belong to the other servers of the chain. */
const ownGroupVersions = builtinGroupVersions.filter((gv) => gv.server === 'kube-apiserver');

const claims = resourceKey('resource.k8s.io', 'resourceclaims');

/** Resources that are there only while a feature gate is open. */
const gatedResources: Readonly<Record<string, string>> = {
  'clustertrustbundles.certificates.k8s.io': 'ClusterTrustBundle',
  'podcertificaterequests.certificates.k8s.io': 'PodCertificateRequest',
  'podgroups.scheduling.k8s.io': 'GenericWorkload',
  'storageversionmigrations.storagemigration.k8s.io': 'StorageVersionMigrator',
  'workloads.scheduling.k8s.io': 'GenericWorkload',
};

/** Fewer verbs than a stored resource usually has. */
const hiddenMethods: Readonly<Record<string, readonly string[]>> = {
  namespaces: ['deleteCollection'],
  'namespaces/finalize': ['get'],
};

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The selector that the Scale of an object shows; '' where it has none or an invalid one. */
const scaleSelector = ({ spec }: { readonly spec?: { readonly selector?: LabelSelector | null } }): string =>
  selectorText(spec?.selector, '', '');

/** Resources with a Scale, and how its selector is made. */
const scaleSelectors: { readonly [Resource in keyof StoredKinds]?: (object: StoredKinds[Resource]) => string } = {
  'deployments.apps': scaleSelector,
  'replicasets.apps': scaleSelector,
  'statefulsets.apps': scaleSelector,
  replicationcontrollers: ({ spec }) =>
    Object.keys(spec?.selector ?? {}).length === 0 ? '' : labelsText(spec?.selector),
};

/** Everything that is defined while the API is built. */
class Builder {
  readonly #options: BuiltinApiOptions;
  readonly #open: OpenGate;
  readonly #strategyOptions: StrategyOptions;
  readonly #defined = new Map<string, DefinedResource>();
  readonly #namespaceLabels = storedLabels(() => this.#store('namespaces'));
  readonly #kubelets: Kubelets;

  constructor(options: BuiltinApiOptions) {
    this.#options = options;
    this.#open = options.openGate ?? openGates();
    const { allowPrivileged = false } = options;
    this.#strategyOptions = { open: this.#open, capabilities: { allowPrivileged } };
    this.#kubelets = options.kubelets ?? new Kubelets(defaultKubeletOptions);
  }

  build(): BuiltinApi {
    const config = this.#options.runtimeConfig ?? {};
    checkRuntimeConfig(config, [...builtinGroupVersions, ...registeredVersions()]);
    const enabled = ownGroupVersions
      .map((gv) => ({ ...gv, resources: gv.resources.filter((resource) => this.#serves(gv, resource)) }))
      .filter((gv) => gv.resources.length > 0);
    for (const family of familiesOf(enabled)) this.#define(family);
    return {
      groups: this.#groups(enabled),
      resource: (group, plural) => this.#defined.get(resourceKey(group, plural)),
    };
  }

  #serves(gv: BuiltinGroupVersion, resource: BuiltinResource): boolean {
    const gate = gatedResources[resourceKey(gv.group, resource.info.plural)];
    return resourceEnabled(gv, resource, this.#options.runtimeConfig ?? {}) && (gate === undefined || this.#open(gate));
  }

  #groups(enabled: readonly BuiltinGroupVersion[]): ApiGroupInfo[] {
    const names = [...new Set(enabled.map((gv) => gv.group))];
    return names.map((group) => {
      const members = enabled
        .filter((gv) => gv.group === group)
        .toSorted((a, b) => b.versionPriority - a.versionPriority);
      return {
        group,
        versions: members.map((gv) => gv.version),
        storages: new Map(members.map((gv) => [gv.version, this.#storagesOf(gv)])),
        priorities: {
          groupPriorityMinimum: members[0]?.groupPriorityMinimum ?? 0,
          versionPriority: Object.fromEntries(members.map((gv) => [gv.version, gv.versionPriority])),
        },
      };
    });
  }

  #storagesOf(gv: BuiltinGroupVersion): ResourceStorage[] {
    return gv.resources.flatMap((resource) => {
      const defined = this.#defined.get(resourceKey(gv.group, resource.info.plural));
      const storages = defined === undefined ? this.#virtual(resource) : defined.storagesOf(gv);
      return storages
        .filter((storage) => storage.path.split('/')[0] === resource.info.plural)
        .map((storage) => {
          const hidden = gv.group === '' ? hiddenMethods[storage.path] : undefined;
          return hidden === undefined ? storage : withoutMethods(storage, hidden);
        });
    });
  }

  /** Resources of which nothing is stored. */
  #virtual(resource: BuiltinResource): ResourceStorage[] {
    const { info, group } = resource;
    if (group === '' && info.plural === 'componentstatuses') {
      return [
        new ComponentStatusStorage(info, tableConvertor('', info.kind.kind), this.#options.componentProbes ?? {}),
      ];
    }
    if (group === '' && info.plural === 'bindings') return [this.#bindings(resource)];
    const review = accessReviewStorage(resource, this.#options);
    return review === undefined ? [] : [review];
  }

  #bindings({ info }: BuiltinResource): ResourceStorage {
    return new CreateOnlyStorage<Binding>({
      path: info.plural,
      info,
      create: (ctx, _name, binding, options) => bindPod(this.#store('pods'), ctx, '', binding, options),
    });
  }

  /** The store of a resource; what is in it has the type of its kind in the storage version. */
  #store<Resource extends keyof StoredKinds>(resource: Resource): KindStore<Resource> {
    const defined = this.#defined.get(resource);
    if (defined === undefined) throw newNotImplemented(`${resource} is not enabled on this server`);
    return defined.store;
  }

  #define({ members, hub }: Family): void {
    const [first] = members;
    if (first === undefined) return;
    const { plural } = first.info;
    const strategies = new Map(members.map((member) => [member, this.#strategy(member, members)]));
    const strategy = strategies.get(first);
    if (strategy === undefined) return;
    const selector = rowOf<(object: KubeObject) => string>(scaleSelectors, first.group, plural);
    const definition: ResourceDefinition = {
      versions: members.map((member) => versionOf(member, hub, strategies.get(member) ?? strategy)),
      strategy,
      prefix: storagePath(plural),
      openStorage: ({ prefix, codec, resource }) =>
        this.#options.openStorage({
          prefix,
          codec,
          resource: { group: first.group, resource },
          indexFields: indexedFields(first.info.kind),
        }),
      fromForeign: foreignReader({ ...hub, kind: first.info.kind.kind }),
      ...(this.#options.storageMediaType === protobufMediaType ? { storedForm: storedProtobuf } : {}),
      subresources: this.#subresources(first, strategy, members),
      more: (store, version) => this.#moreStorages(store, version, members),
      ...(selector === undefined
        ? {}
        : {
            scale: {
              type: requireType(scaleKind),
              codec: plainCodec(scaleKind),
              table: tableConvertor(scaleKind.group, scaleKind.kind),
              specReplicasPath: 'spec.replicas',
              statusReplicasPath: 'status.replicas',
              selector,
            },
          }),
    };
    const defined = defineResource(definition);
    for (const member of members) this.#defined.set(resourceKey(member.group, member.info.plural), defined);
  }

  #strategy(resource: BuiltinResource, members: readonly BuiltinResource[]): Strategy {
    const versions = members.filter((m) => m.group === resource.group).map((m) => m.version);
    const hub = storageVersion(resource.group, resource.info.plural);
    const type = requireType({ ...hub, kind: resource.info.kind.kind });
    const strategy = strategyFor(resource, type, versions, this.#strategyOptions);
    const { plural } = resource.info;
    if (plural === 'events') return { ...strategy, ttlSeconds: () => this.#options.eventTtlSeconds ?? 3600 };
    if (resource.group === '' && plural === 'services') return { ...strategy, ...this.#serviceHooks() };
    if (resource.group === rbacGroup) {
      const roles = new StoredRoles((stored) => this.#store(`${stored}.${rbacGroup}`));
      return { ...strategy, ...escalationHooks(plural, this.#options.authorizer, roles) };
    }
    if (resource.group === 'resource.k8s.io') return withAdminAccess(plural, strategy, this.#namespaceLabels);
    if (resource.group === 'admissionregistration.k8s.io') {
      const policy: StoredPolicy = (policies, name) =>
        storedObject(this.#store(`${policies}.admissionregistration.k8s.io`), name);
      const access = { authorizer: this.#options.authorizer, policy };
      return { ...strategy, ...paramAccessHooks(plural, strategy, access) };
    }
    return strategy;
  }

  #subresources(first: BuiltinResource, strategy: Strategy, members: readonly BuiltinResource[]) {
    const made = subresourcesOf(first, strategy, members, this.#strategyOptions);
    const { status } = made;
    if (status === undefined || resourceKey(first.group, first.info.plural) !== claims) return made;
    const options = { authorizer: this.#options.authorizer, labels: this.#namespaceLabels };
    return { ...made, status: claimStatusStrategy(status, options) };
  }

  #serviceHooks(): ReturnType<typeof serviceAllocationHooks> {
    const { serviceClusterIpRange, serviceNodePortRange, openStorage } = this.#options;
    return storedServiceHooks({
      clusterIpRange: serviceClusterIpRange ?? defaultServiceClusterIpRange,
      nodePortRange: serviceNodePortRange ?? defaultServiceNodePortRange,
      openStorage,
      store: (resource) => this.#store(resource),
    });
  }

  /** Subresources that are no view of the object. */
  #moreStorages(
    store: RegistryStore,
    version: ResourceVersion,
    members: readonly BuiltinResource[],
  ): ResourceStorage[] {
    const resource = members.find((member) => member.info === version.info);
    if (resource === undefined || resource.group !== '') return [];
    const storages = connectStorages(resource, {
      authorizer: this.#options.authorizer,
      kubelets: this.#kubelets,
      nodes: () => this.#store('nodes'),
      services: () => this.#store('services'),
      endpoints: () => this.#store('endpoints'),
      pods: () => this.#store('pods'),
    });
    if (resource.info.plural === 'pods')
      storages.push(...podActions(resource.info, version, store, () => this.#store('poddisruptionbudgets.policy')));
    if (resource.info.plural === 'serviceaccounts') storages.push(this.#tokenRequests(resource, store));
    return storages;
  }

  #tokenRequests(resource: BuiltinResource, accounts: KindStore<'serviceaccounts'>): ResourceStorage {
    return new CreateOnlyStorage<TokenRequest>({
      path: 'serviceaccounts/token',
      info: { ...resource.info, kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } },
      keepsSystemFields: true,
      trackFields: true,
      create: (ctx, name, request, options) =>
        requestToken(
          { accounts, store: (plural) => this.#store(plural) },
          this.#options.tokenIssuer,
          ctx,
          name,
          request,
          options,
        ),
    });
  }
}

function subresourcesOf(
  resource: BuiltinResource,
  strategy: Strategy,
  members: readonly BuiltinResource[],
  options: StrategyOptions,
): Record<string, Strategy> {
  const versions = members.map((member) => member.version);
  const names = Object.keys(behaviourOf(resource.group, resource.info.plural).subresources ?? {});
  const made = names.map(
    (name) => [name, subresourceStrategyFor(resource, name, strategy, versions, options)] as const,
  );
  return Object.fromEntries(made.filter((entry): entry is [string, Strategy] => entry[1] !== undefined));
}

/**
 * The built-in groups of kube-apiserver 1.36 but apiregistration.k8s.io and apiextensions.k8s.io. Sends nothing to etcd.
 * Throws RuntimeConfigError or Error with one line for the operator when a flag's value is wrong.
 */
export const createBuiltinApi = (options: BuiltinApiOptions): BuiltinApi => new Builder(options).build();
