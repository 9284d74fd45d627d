import type { Node, Pod } from '@apichain/api/core/v1';
import { deepEqual, integer } from '@apichain/meta';
import type { AffinityTerms } from './affinity-terms.ts';
import { newClusterObjects, type ClusterObjects } from './cluster-objects.ts';
import { NodeInfo } from './node-info.ts';
import { PlacedTerms, type PlacedTerm } from './placed-terms.ts';
import { PodCounts, type PodSelection } from './pod-counts.ts';
import { PodInfo } from './pod-info.ts';

/** The zone of a node, with its region; empty if it has neither. */
function zoneOf({ labels }: NodeInfo): string {
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  return zone === '' && region === '' ? '' : `${region}:\0:${zone}`;
}

/** Nodes in an order that goes round-robin through the zones, so that a search that ends early has seen all of them. */
function inZoneOrder(nodes: Iterable<NodeInfo>): readonly NodeInfo[] {
  const zones = [...Map.groupBy(nodes, zoneOf).values()];
  const longest = Math.max(0, ...zones.map(({ length }) => length));
  const ordered: NodeInfo[] = [];
  for (let index = 0; index < longest; index++)
    for (const zone of zones) {
      const node = zone[index];
      if (node !== undefined) ordered.push(node);
    }
  return ordered;
}

interface PlacedPod {
  readonly info: PodInfo;
  readonly node: string;
  readonly assumed: boolean;
}

/**
 * The nodes with the pods on them, and the other objects by which the scheduler decides. A pod for which a node was chosen is assumed to be on it until
 * the API server confirms that, so the next pod need not wait for the binding of the one before. A scheduling attempt runs without interruption, so the
 * cluster does not change under it.
 */
export class Cluster {
  readonly objects: ClusterObjects = newClusterObjects();
  readonly images = new ImageSpread();
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #pods = new Map<string, PlacedPod>();
  readonly #counts = new PodCounts();
  readonly #claimUsers = new Map<string, number>();
  readonly #terms = new PlacedTerms();
  #ordered: readonly NodeInfo[] | undefined;

  /** The nodes that exist, in the order in which they are tried. */
  get nodes(): readonly NodeInfo[] {
    this.#ordered ??= inZoneOrder([...this.#nodes.values()].filter(({ exists }) => exists));
    return this.#ordered;
  }
  /** The node, if it exists. */
  node(name: string): NodeInfo | undefined {
    const node = this.#nodes.get(name);
    return node?.exists === true ? node : undefined;
  }
  /** The number of selected pods by the name of the node. */
  podCounts(selection: PodSelection): ReadonlyMap<string, number> {
    return this.#counts.get(selection, this.#nodes);
  }
  /** The affinity terms of one kind that pods on nodes have. */
  placedTerms(kind: keyof AffinityTerms): Iterable<PlacedTerm> {
    return this.#terms.get(kind);
  }
  /** Whether a pod on a node uses the claim `namespace/name`. */
  isClaimInUse(key: string): boolean {
    return this.#claimUsers.has(key);
  }
  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined {
    return this.objects.namespaces.get(namespace)?.metadata.labels;
  }
  /** Whether a node was chosen for the pod, and the API server has not confirmed it. */
  isAssumed(uid: string): boolean {
    return this.#pods.get(uid)?.assumed === true;
  }
  /** The pod that is on a node, or assumed to be. */
  placedPod(uid: string): PodInfo | undefined {
    return this.#pods.get(uid)?.info;
  }

  setNode(node: Node): void {
    const { name = '' } = node.metadata;
    const info = this.#nodeInfo(name);
    if (info.exists) this.images.remove(info.node);
    this.images.add(node);
    const zone = info.exists ? zoneOf(info) : undefined;
    info.setNode(node);
    // Nodes report often, and the order of thousands takes a while.
    if (zoneOf(info) !== zone) this.#ordered = undefined;
  }

  /** Pods of the node stay until each of them is removed. */
  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (info === undefined) return;
    this.images.remove(info.node);
    info.removeNode();
    this.#ordered = undefined;
    if (info.pods.size === 0) this.#nodes.delete(name);
  }

  /** Adds a pod that has a node, replaces it, or confirms that it is where it was assumed to be. */
  setPod(pod: Pod): void {
    const info = new PodInfo(pod);
    const node = pod.spec?.nodeName ?? '';
    const placed = this.#pods.get(info.uid);
    if (placed?.node === node && isCountedAlike(placed.info.pod, pod)) {
      this.#pods.set(info.uid, { info, node, assumed: false });
      const nodeInfo = this.#nodeInfo(node);
      nodeInfo.removePod(info.uid);
      nodeInfo.addPod(info);
      return;
    }
    this.removePod(info.uid);
    this.#place(info, node, false);
  }

  /** Takes a pod for one that is on the node. */
  assume(info: PodInfo, node: string): void {
    this.#place(info, node, true);
  }

  /** Takes back `assume`. */
  forget(uid: string): void {
    if (this.isAssumed(uid)) this.removePod(uid);
  }

  removePod(uid: string): void {
    const placed = this.#pods.get(uid);
    if (placed === undefined) return;
    this.#pods.delete(uid);
    const { info, node: name } = placed;
    const node = this.#nodeInfo(name);
    node.removePod(uid);
    this.#counts.update(info, name, -1);
    this.#terms.update(info, name, -1);
    for (const claim of info.claims) {
      const users = (this.#claimUsers.get(claim) ?? 0) - 1;
      if (users > 0) this.#claimUsers.set(claim, users);
      else this.#claimUsers.delete(claim);
    }
    if (!node.exists && node.pods.size === 0) this.#nodes.delete(name);
  }

  #place(info: PodInfo, node: string, assumed: boolean): void {
    this.#pods.set(info.uid, { info, node, assumed });
    const nodeInfo = this.#nodeInfo(node);
    nodeInfo.addPod(info);
    this.#counts.update(info, node, 1);
    this.#terms.update(info, node, 1);
    for (const claim of info.claims) this.#claimUsers.set(claim, (this.#claimUsers.get(claim) ?? 0) + 1);
  }

  #nodeInfo(name: string): NodeInfo {
    let info = this.#nodes.get(name);
    if (info === undefined) this.#nodes.set(name, (info = new NodeInfo()));
    return info;
  }
}

/**
 * Whether two states of a pod on a node are the same for what is counted over all nodes: its affinity and its volumes do not change any more. Most
 * changes are of the status, and every workload has a count of its own.
 */
const isCountedAlike = (before: Pod, after: Pod): boolean =>
  before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
  deepEqual(before.metadata.labels, after.metadata.labels);

interface Image {
  readonly size: number;
  readonly nodes: Set<string>;
}

/** Which container images are on which nodes. */
class ImageSpread {
  readonly #images = new Map<string, Image>();

  add({ metadata, status }: Node): void {
    const { name: node = '' } = metadata;
    for (const { names, sizeBytes } of status?.images ?? [])
      for (const name of names ?? []) {
        let image = this.#images.get(name);
        if (image === undefined) this.#images.set(name, (image = { size: integer(sizeBytes), nodes: new Set() }));
        image.nodes.add(node);
      }
  }

  remove({ metadata, status }: Node): void {
    for (const { names } of status?.images ?? [])
      for (const name of names ?? []) {
        const image = this.#images.get(name);
        image?.nodes.delete(metadata.name ?? '');
        if (image?.nodes.size === 0) this.#images.delete(name);
      }
  }

  /** The size in bytes of an image, and on how many nodes it is; undefined if it is not on this node. */
  onNode(image: string, node: string): { readonly size: number; readonly nodes: number } | undefined {
    const known = this.#images.get(image);
    return known?.nodes.has(node) === true ? { size: known.size, nodes: known.nodes.size } : undefined;
  }
}
