import type { Value } from '@apichain/cel';
import type { RestClient } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import type { PodEvent } from '../pods/events.ts';

/** Who acts for an object: a kubelet for its node and its pods, the simulation for everything else. */
export interface Actor {
  readonly client: RestClient;
  record(object: KubeObject, event: PodEvent): void;
  /** The variables of expressions beside the object and the time. */
  variables(object: KubeObject, now: number): Readonly<Record<string, Value>>;
}

/** Finds who acts for an object. */
export interface Actors {
  /** Undefined for an object that is left alone, such as a pod of another node. */
  of(object: KubeObject): Actor | undefined;
  /** The client of a user that a stage names. */
  as(username: string): RestClient;
  /** Called when an object exists no longer, or that nothing is left to do for it. */
  forget?(object: KubeObject): void;
}
