import type { ResourceStorage, ResourceVersion, Strategy } from '@apichain/apiserver';
import type { BuiltinResource } from '@apichain/kinds';
import type { KubeObject } from '@apichain/meta';
import type { BuiltinApiOptions } from '../builtin-options.ts';
import type { Kubelets } from '../connect/kubelets.ts';
import type { KindStores, StoreOf } from '../kind-store.ts';
import type { ServiceAllocation } from '../services/stored-services.ts';

/** What a server provides to the hooks of its kinds. */
export interface HookContext {
  readonly options: BuiltinApiOptions;
  readonly kubelets: Kubelets;
  /** The stores of the server. They exist only after the API has been built, so a hook calls this while it serves a request. */
  readonly store: KindStores;
  /** The allocators of what services hold outside of their objects. Throws Error when a flag is not a valid range. */
  readonly services: () => ServiceAllocation;
}

/** Extends the strategy that was built from the row. Called once for each resource of a group, at startup. */
export type StrategyHook = (strategy: Strategy, server: HookContext) => Strategy;

/** A stored resource in one of its versions. `T` is the type of its stored objects. */
export interface StoredVersion<T extends KubeObject = KubeObject> {
  readonly resource: BuiltinResource;
  readonly version: ResourceVersion;
  readonly store: StoreOf<T>;
}

/** Behaviour of a kind that needs other stores, the authorizer or the flags of the server. */
export interface ServerHooks<T extends KubeObject = KubeObject> {
  readonly strategy?: StrategyHook;
  /** The same for updates through a subresource. */
  readonly subresources?: Readonly<Record<string, StrategyHook>>;
  /** Subresources that are not views of the object: actions, and connections to kubelets, pods and services. */
  readonly storages?: (stored: StoredVersion<T>, server: HookContext) => readonly ResourceStorage[];
}
