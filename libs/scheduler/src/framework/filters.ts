import { errorMessage } from '@apichain/meta';
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { type Filter, type Plugin, type Reservation, isRejection } from './plugin.ts';
import type { PluginRejection } from './status.ts';

interface PluginFilter {
  readonly plugin: string;
  readonly filter: Filter;
}

/** Pods that other nodes than their own must leave room for, because their preemption is under way. */
export interface NominatedPods {
  /** The pods that are nominated for the node. */
  forNode(node: string): readonly PodInfo[];
}

/** What all plugins have found out about a pod before nodes are filtered. */
export class Filters {
  readonly #filters: readonly PluginFilter[];
  /** Those that may reject a node. */
  readonly #checks: readonly PluginFilter[];

  private constructor(filters: readonly PluginFilter[]) {
    this.#filters = filters;
    this.#checks = filters.filter(({ filter }) => filter.filter !== undefined);
  }

  /**
   * Asks all plugins about a pod. Returns the rejection of a plugin that rejects it on every node. Throws Error when a plugin fails.
   */
  static prepare(plugins: readonly Plugin[], pod: PodInfo, cluster: Cluster): Filters | PluginRejection {
    const filters: PluginFilter[] = [];
    for (const { name: plugin, preFilter } of plugins) {
      const prepared = naming(`running PreFilter plugin "${plugin}"`, () => preFilter?.(pod, cluster));
      if (prepared === undefined) continue;
      if (isRejection(prepared)) return { ...prepared, plugin };
      filters.push({ plugin, filter: prepared });
    }
    return new Filters(filters);
  }

  /** The names of the only nodes that come into question, and the plugins that say so; undefined if all do. */
  get nodeNames(): { readonly names: ReadonlySet<string>; readonly plugins: readonly string[] } | undefined {
    const named = this.#filters.flatMap(({ plugin, filter: { nodeNames } }) =>
      nodeNames === undefined ? [] : [{ plugin, nodeNames }],
    );
    const [first, ...others] = named;
    if (first === undefined) return undefined;
    return {
      names: new Set([...first.nodeNames].filter((name) => others.every(({ nodeNames }) => nodeNames.has(name)))),
      plugins: named.map(({ plugin }) => plugin).sort(),
    };
  }

  /** The first rejection of the node; undefined if the pod fits. Throws Error when a plugin fails. */
  check(node: NodeInfo): PluginRejection | undefined {
    let current = '';
    try {
      for (const { plugin, filter } of this.#checks) {
        current = plugin;
        const rejection = filter.filter?.(node);
        if (rejection !== undefined) return { ...rejection, plugin };
      }
      return undefined;
    } catch (error) {
      throw new Error(`running "${current}" filter plugin: ${errorMessage(error)}`, { cause: error });
    }
  }

  /** As `check`, and the pod must fit as well once pods of at least its priority that are nominated for the node are there. */
  checkWithNominated(pod: PodInfo, node: NodeInfo, nominated: NominatedPods): PluginRejection | undefined {
    const all = nominated.forNode(node.name);
    const important = all.length === 0 ? all : all.filter(isBefore(pod));
    if (important.length > 0) {
      const simulation = new Simulation(node, this);
      for (const other of important) simulation.add(other);
      const rejection = simulation.check();
      if (rejection !== undefined) return rejection;
    }
    return this.check(node);
  }

  update(pod: PodInfo, node: NodeInfo, delta: 1 | -1): void {
    for (const { filter } of this.#filters) filter.update?.(pod, node, delta);
  }

  clone(): Filters {
    return new Filters(this.#filters.map(({ plugin, filter }) => ({ plugin, filter: filter.clone?.() ?? filter })));
  }

  /** Claims what the pod needs on the node. If a plugin fails, what others have claimed is given up, and Error is thrown. */
  reserve(node: string): readonly Reservation[] {
    const reservations: Reservation[] = [];
    try {
      for (const { plugin, filter } of this.#filters) {
        const reservation = naming(`running Reserve plugin "${plugin}"`, () => filter.reserve?.(node));
        if (reservation !== undefined) reservations.push(reservation);
      }
      return reservations;
    } catch (error) {
      for (const reservation of reservations.toReversed()) reservation.release();
      throw error;
    }
  }
}

/** Whether another pod is at least as important as this one. */
const isBefore = (pod: PodInfo) => (other: PodInfo) => other.priority >= pod.priority && other.uid !== pod.uid;

/** A node as it would be with other pods on it, and what the plugins would say about it. */
export class Simulation {
  readonly node: NodeInfo;
  readonly #filters: Filters;

  constructor(node: NodeInfo, filters: Filters) {
    this.node = node.clone();
    this.#filters = filters.clone();
  }

  add(pod: PodInfo): void {
    this.node.addPod(pod);
    this.#filters.update(pod, this.node, 1);
  }
  remove(pod: PodInfo): void {
    this.node.removePod(pod.uid);
    this.#filters.update(pod, this.node, -1);
  }
  check(): PluginRejection | undefined {
    return this.#filters.check(this.node);
  }
  checkWithNominated(pod: PodInfo, nominated: NominatedPods): PluginRejection | undefined {
    return this.#filters.checkWithNominated(pod, this.node, nominated);
  }
}

/** Says in which plugin an error occurred. */
function naming<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
}
