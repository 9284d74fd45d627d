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
import type { StoredKinds } from '@apichain/api/stored-kinds';
import {
  builtinGroupVersions,
  checkRuntimeConfig,
  familiesOf,
  foreignReader,
  indexedFields,
  openGates,
  protobufMediaType,
  registeredVersions,
  requireType,
  resourceEnabled,
  resourceKey,
  storagePath,
  storageVersion,
  storedProtobuf,
  type BuiltinGroupVersion,
  type BuiltinResource,
  type Family,
  type OpenGate,
} from '@apichain/kinds';
import { newNotImplemented } from '@apichain/meta';
import type { BuiltinApiOptions } from './builtin-options.ts';
import { defaultKubeletOptions, Kubelets } from './connect/kubelets.ts';
import type { KindStore, KindStores } from './kind-store.ts';
import { scaleDefinition } from './scale.ts';
import { versionOf } from './served-version.ts';
import type { ServiceAllocators } from './services/service-allocation.ts';
import { serviceAllocation, type ServiceAllocation, type ServiceRepairs } from './services/stored-services.ts';
import type { KindBehaviour } from './strategies/behaviour.ts';
import { strategyFor, subresourceStrategyFor, type StrategyOptions } from './strategies/interpreter.ts';
import type { HookContext } from './strategies/server-hooks.ts';
import { behaviourOf } from './strategies/table.ts';
import { virtualStorage } from './virtual.ts';

/** The built-in API, ready to be installed in a server. */
export interface BuiltinApi {
  /** Every group that has an enabled version, in the order of Kubernetes. */
  readonly groups: readonly ApiGroupInfo[];
  /** A stored resource by group and plural; undefined when none of its versions is enabled. */
  resource(group: string, plural: string): DefinedResource | undefined;
  /** The repairs of node ports and cluster IPs, for a server that serves services. */
  repairs(): ServiceRepairs;
  /** The allocators of cluster IPs and node ports, for the metrics of a server that serves services. */
  allocators(): ServiceAllocators;
}

/** apiregistration.k8s.io and apiextensions.k8s.io are served by the other servers of the chain. */
const ownGroupVersions = builtinGroupVersions.filter((gv) => gv.server === 'kube-apiserver');

const behaviour = ({ group, info }: BuiltinResource): KindBehaviour => behaviourOf(group, info.plural);

/** The state while the API is built. Differences between resources come from their rows in the table. */
class Builder {
  readonly #options: BuiltinApiOptions;
  readonly #open: OpenGate;
  readonly #strategyOptions: StrategyOptions;
  readonly #server: HookContext;
  readonly #defined = new Map<string, DefinedResource>();

  constructor(options: BuiltinApiOptions) {
    this.#options = options;
    this.#open = options.openGate ?? openGates();
    const { allowPrivileged = false } = options;
    this.#strategyOptions = { open: this.#open, capabilities: { allowPrivileged } };
    const kubelets = options.kubelets ?? new Kubelets(defaultKubeletOptions);
    const store: KindStores = (resource) => this.#store(resource);
    let services: ServiceAllocation | undefined;
    this.#server = { options, kubelets, store, services: () => (services ??= serviceAllocation(options, store)) };
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
      repairs: () => this.#server.services().repairs,
      allocators: () => this.#server.services().allocators,
    };
  }

  #serves(gv: BuiltinGroupVersion, resource: BuiltinResource): boolean {
    const { serves } = this.#options;
    if (serves?.({ group: gv.group, resource: resource.info.plural }) === false) return false;
    const { featureGate: gate } = resource;
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
        storages: new Map(
          members.map((gv) => [gv.version, gv.resources.flatMap((resource) => this.#storagesOf(gv, resource))]),
        ),
        priorities: {
          groupPriorityMinimum: members[0]?.groupPriorityMinimum ?? 0,
          versionPriority: Object.fromEntries(members.map((gv) => [gv.version, gv.versionPriority])),
        },
      };
    });
  }

  #storagesOf(gv: BuiltinGroupVersion, resource: BuiltinResource): ResourceStorage[] {
    const { plural } = resource.info;
    const defined = this.#defined.get(resourceKey(gv.group, plural));
    if (defined === undefined) {
      const storage = virtualStorage(resource, this.#server);
      return storage === undefined ? [] : [storage];
    }
    const row = behaviour(resource);
    return defined.storagesOf(gv).flatMap((storage) => {
      const [own, subresource] = storage.path.split('/');
      if (own !== plural) return [];
      const { withoutMethods: hidden } = subresource === undefined ? row : (row.subresources?.[subresource] ?? {});
      return hidden === undefined ? storage : withoutMethods(storage, hidden);
    });
  }

  /** The store of a resource; its objects have the type of the kind in the storage version. */
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
    const { scaleSelector } = behaviour(first);
    const definition: ResourceDefinition = {
      versions: members.map((member) => versionOf(member, hub, strategies.get(member) ?? strategy)),
      strategy,
      prefix: storagePath(plural),
      openStorage: ({ prefix, codec, resource, kind }) =>
        this.#options.openStorage({
          prefix,
          codec,
          kind,
          resource: { group: first.group, resource },
          indexFields: indexedFields(first.info.kind),
        }),
      fromForeign: foreignReader({ ...hub, kind: first.info.kind.kind }),
      ...(this.#options.storageMediaType === protobufMediaType ? { storedForm: storedProtobuf } : {}),
      subresources: this.#subresources(first, strategy, members),
      more: (store, version) => this.#moreStorages(store, version, members),
      ...(scaleSelector === undefined ? {} : { scale: scaleDefinition(scaleSelector) }),
    };
    const defined = defineResource(definition);
    for (const member of members) this.#defined.set(resourceKey(member.group, member.info.plural), defined);
  }

  #strategy(resource: BuiltinResource, members: readonly BuiltinResource[]): Strategy {
    const versions = members.filter((m) => m.group === resource.group).map((m) => m.version);
    const hub = storageVersion(resource.group, resource.info.plural);
    const type = requireType({ ...hub, kind: resource.info.kind.kind });
    const strategy = strategyFor(resource, type, versions, this.#strategyOptions);
    return behaviour(resource).server?.strategy?.(strategy, this.#server) ?? strategy;
  }

  #subresources(
    resource: BuiltinResource,
    main: Strategy,
    members: readonly BuiltinResource[],
  ): Record<string, Strategy> {
    const versions = members.map((member) => member.version);
    const { subresources = {}, server } = behaviour(resource);
    const strategies: Record<string, Strategy> = {};
    for (const name of Object.keys(subresources)) {
      const strategy = subresourceStrategyFor(resource, name, main, versions, this.#strategyOptions);
      if (strategy === undefined) continue;
      strategies[name] = server?.subresources?.[name]?.(strategy, this.#server) ?? strategy;
    }
    return strategies;
  }

  /** Subresources that are not views of the object. */
  #moreStorages(
    store: RegistryStore,
    version: ResourceVersion,
    members: readonly BuiltinResource[],
  ): readonly ResourceStorage[] {
    const resource = members.find((member) => member.info === version.info);
    if (resource === undefined) return [];
    return behaviour(resource).server?.storages?.({ resource, version, store }, this.#server) ?? [];
  }
}

/**
 * The built-in groups of kube-apiserver 1.36 except apiregistration.k8s.io and apiextensions.k8s.io. Sends no requests to etcd.
 * Throws RuntimeConfigError or Error with one line for the operator when the value of a flag is invalid.
 */
export const createBuiltinApi = (options: BuiltinApiOptions): BuiltinApi => new Builder(options).build();

/**
 * The same storage without some methods. Verbs and routes follow from the methods of a storage, and a few built-in resources have fewer than
 * their class (namespaces have no deletecollection, namespaces/finalize has only PUT).
 */
function withoutMethods(storage: ResourceStorage, hidden: readonly string[]): ResourceStorage {
  const isHidden = (name: string | symbol): boolean => typeof name === 'string' && hidden.includes(name);
  return new Proxy(storage, {
    has: (target, name) => !isHidden(name) && Reflect.has(target, name),
    get: (target, name) => {
      if (isHidden(name)) return undefined;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const bound: unknown = member.bind(target);
      return bound;
    },
  });
}
