import type { Node, Pod } from '@apichain/api/core/v1';
import {
  currentTimestamp,
  newNotFound,
  parseFieldSelector,
  parseLabelSelector,
  parseQuantity,
  type KubeObject,
} from '@apichain/meta';
import type { Nodes } from '../nodes/nodes.ts';
import { intentionsOf } from '../pods/annotations.ts';
import { containersOf, type ContainerView } from '../pods/containers.ts';

export const group = 'metrics.k8s.io';
export const version = 'v1beta1';

/** The time that a measurement covers. */
const window = '15s';

const groupVersion = `${group}/${version}`;
const versions = [{ groupVersion, version }];
const apiGroup = { name: group, versions, preferredVersion: versions[0] };
const verbs = ['get', 'list'];
const resources = [
  { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs },
  { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs },
];

/** Serves the requests of metrics.k8s.io/v1beta1 as metrics-server does. https://github.com/kubernetes/metrics */
export class MetricsApi {
  readonly #nodes: Nodes;

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
  }

  /** The document at a URL; undefined for a path that is not served. Throws StatusError, or SelectorError for a selector that is none. */
  get({ pathname, searchParams }: URL): object | undefined {
    const [root, ...path] = pathname.split('/').slice(1).map(decodeURIComponent);
    if (root !== 'apis') return undefined;
    if (path.length === 0) return { kind: 'APIGroupList', apiVersion: 'v1', groups: [apiGroup] };
    if (path[0] !== group) return undefined;
    if (path.length === 1) return { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup };
    if (path[1] !== version) return undefined;
    const rest = path.slice(2);
    if (rest.length === 0) return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
    const namespace = rest[0] === 'namespaces' ? rest[1] : undefined;
    const [resource, name, ...more] = namespace === undefined ? rest : rest.slice(2);
    if (more.length > 0) return undefined;
    if (resource === 'nodes' && namespace === undefined)
      return this.#itemOrList('NodeMetrics', 'nodes', this.#nodeMetrics(), name, searchParams);
    if (resource === 'pods' && (namespace !== undefined || name === undefined))
      return this.#itemOrList('PodMetrics', 'pods', this.#podMetrics(namespace), name, searchParams);
    return undefined;
  }

  #itemOrList(
    kind: string,
    resource: string,
    all: Iterable<KubeObject>,
    name: string | undefined,
    query: URLSearchParams,
  ) {
    if (name !== undefined) {
      for (const item of all) if (item.metadata.name === name) return item;
      throw newNotFound({ group, resource }, name);
    }
    const labels = parseLabelSelector(query.get('labelSelector') ?? '');
    const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
    const items = [...all].filter(
      ({ metadata: item }) =>
        labels.matches(item.labels ?? {}) &&
        fields.matches({ 'metadata.name': item.name ?? '', 'metadata.namespace': item.namespace ?? '' }),
    );
    return { kind: `${kind}List`, apiVersion: groupVersion, metadata: {}, items };
  }

  *#nodeMetrics(): Iterable<KubeObject> {
    for (const name of this.#nodes.names()) {
      const kubelet = this.#nodes.get(name);
      if (kubelet === undefined || kubelet.isDown) continue;
      yield { ...measured('NodeMetrics', kubelet.node), usage: usageQuantities(nodeUsage(this.#nodes.podsOf(name))) };
    }
  }

  *#podMetrics(namespace: string | undefined): Iterable<KubeObject> {
    for (const name of this.#nodes.names()) {
      if (this.#nodes.get(name)?.isDown !== false) continue;
      for (const pod of this.#nodes.podsOf(name)) {
        if (namespace !== undefined && pod.metadata.namespace !== namespace) continue;
        const containers = podUsage(pod).map((container) => ({
          name: container.name,
          usage: usageQuantities(container.usage),
        }));
        if (containers.length > 0) yield { ...measured('PodMetrics', pod), containers };
      }
    }
  }
}

function measured(kind: string, { metadata: { name, namespace, labels } }: Node | Pod): KubeObject {
  const timestamp = currentTimestamp();
  return {
    apiVersion: groupVersion,
    kind,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined || labels === null ? {} : { labels }),
      creationTimestamp: timestamp,
    },
    timestamp,
    window,
  };
}

/** Cores and bytes. */
export interface Usage {
  readonly cpu: number;
  readonly memory: number;
}

/** What a container uses that requests nothing, and a node without pods. */
const least: Usage = { cpu: 0.001, memory: 8 << 20 };
const nodeItself: Usage = { cpu: 0.1, memory: 256 << 20 };

/** What the running containers of a pod use: what an annotation says, else what they request. */
export function podUsage(pod: Pod): { readonly name: string; readonly usage: Usage }[] {
  return containersOf({ pod, intentions: intentionsOf(pod) })
    .filter(({ status }) => status.state?.running !== undefined)
    .map((container) => ({ name: container.name, usage: containerUsage(container) }));
}

function containerUsage({ spec, intention }: ContainerView): Usage {
  const requested = (name: 'cpu' | 'memory') => {
    const quantity = spec.resources?.requests?.[name];
    return quantity === undefined ? least[name] : parseQuantity(quantity).asApproximateFloat();
  };
  return { cpu: intention.cpu ?? requested('cpu'), memory: intention.memory ?? requested('memory') };
}

/** What a node uses: something itself, and what its pods use. */
export function nodeUsage(pods: readonly Pod[]): Usage {
  return pods
    .flatMap(podUsage)
    .reduce((sum, { usage }) => ({ cpu: sum.cpu + usage.cpu, memory: sum.memory + usage.memory }), nodeItself);
}

/** The usage as metrics-server writes it: nanocores and KiB. */
export const usageQuantities = ({ cpu, memory }: Usage): { readonly cpu: string; readonly memory: string } => ({
  cpu: `${Math.round(cpu * 1e9)}n`,
  memory: `${Math.round(memory / 1024)}Ki`,
});
