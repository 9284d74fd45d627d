import type { ResourceStorage, ResourceVersion, Strategy } from '@apichain/apiserver';
import type { BuiltinResource } from '@apichain/kinds';
import type { KubeObject } from '@apichain/meta';
import type { BuiltinApiOptions } from '../builtin-options.ts';
import type { Kubelets } from '../connect/kubelets.ts';
import type { KindStores, StoreOf } from '../kind-store.ts';

/** What a server gives to the hooks of its kinds. */
export interface HookContext {
  readonly options: BuiltinApiOptions;
  readonly kubelets: Kubelets;
  /** The stores of the server. They exist once its API is built, so a hook asks for one while it serves a request. */
  readonly store: KindStores;
}

/** A strategy that does more than the one that was made from the row. Called once for each resource of a group, at the start. */
export type StrategyHook = (strategy: Strategy, server: HookContext) => Strategy;

/** A stored resource in one of its versions. `T` is the type of what is in its store. */
export interface StoredVersion<T extends KubeObject = KubeObject> {
  readonly resource: BuiltinResource;
  readonly version: ResourceVersion;
  readonly store: StoreOf<T>;
}

/** What a kind does with more than the object: with other stores, the authorizer, the flags of the server. */
export interface ServerHooks<T extends KubeObject = KubeObject> {
  readonly strategy?: StrategyHook;
  /** The same of updates through a subresource. */
  readonly subresources?: Readonly<Record<string, StrategyHook>>;
  /** Subresources that are no view of the object: actions, and connections that lead out of the API. */
  readonly storages?: (stored: StoredVersion<T>, server: HookContext) => readonly ResourceStorage[];
}
