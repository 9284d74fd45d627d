import type { Node } from '@apichain/api/core/v1';
import { isStatusError } from '@apichain/meta';
import type { ControllerContext, Running } from './context.ts';
import { controllerParts } from './controller-parts.ts';
import { nodes as nodesOf } from './resources.ts';

const annotation = 'node.alpha.kubernetes.io/ttl';

/** A size of clusters: from how many nodes on it is left for a smaller and for a larger one, and how many seconds its kubelets keep Secrets and ConfigMaps. */
interface ClusterSize {
  readonly least: number;
  readonly most: number;
  readonly seconds: number;
}

/** As in kube-controller-manager. They overlap, so that a node that comes and goes changes nothing. */
const sizes: readonly [ClusterSize, ...ClusterSize[]] = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1_000, seconds: 30 },
  { least: 900, most: 2_000, seconds: 60 },
  { least: 1_800, most: Infinity, seconds: 300 },
];

/** Counts the nodes of a cluster, and knows from their number how long kubelets keep Secrets and ConfigMaps. */
export class NodeCount {
  #count = 0;
  #size = 0;

  /** A node has come (1) or gone (-1). */
  add(change: 1 | -1): void {
    this.#count += change;
    const { least, most } = this.#current;
    if (this.#count > most) this.#size++;
    else if (this.#count < least) this.#size--;
  }

  get seconds(): number {
    return this.#current.seconds;
  }

  get #current(): ClusterSize {
    return sizes[this.#size] ?? sizes[0];
  }
}

/**
 * Tells the kubelets by an annotation of their Nodes how long they may keep Secrets and ConfigMaps, the longer the more of them there are.
 * Source: https://kubernetes.io/docs/reference/labels-annotations-taints/#node-alpha-kubernetes-io-ttl
 */
export function nodeTtl(context: ControllerContext): Running {
  const { client } = context;
  const { enqueue, informer, run } = controllerParts(context, 'ttl-controller');
  const nodes = informer(nodesOf);
  const count = new NodeCount();
  nodes.addHandlers({
    onAdd: (node) => {
      count.add(1);
      enqueue(node);
    },
    onUpdate: enqueue,
    onDelete: () => count.add(-1),
  });
  return run(async (name) => {
    const wanted = String(count.seconds);
    const node: Node | undefined = nodes.get(name);
    if (node === undefined || node.metadata.annotations?.[annotation] === wanted) return;
    try {
      await client.patch(nodesOf, name, 'strategic', { metadata: { annotations: { [annotation]: wanted } } });
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  });
}
