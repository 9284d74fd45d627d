import type { KubeObject } from '@apichain/meta';
import { FollowedCopy, type FollowedResource } from '../followed-copy.ts';
import {
  nodeNameOf,
  referencesOfPod,
  referencesOfVolume,
  type ReferencedKind,
  type ObjectReference,
} from './object-references.ts';

/** A NodeGraph of the cluster, kept up to date from etcd. It is empty until it is first needed, so that no node is allowed anything before. */
export class FollowedNodes {
  readonly graph = new NodeGraph();
  readonly copy: FollowedCopy;

  constructor() {
    const { graph } = this;
    const followed = (
      group: string,
      resource: string,
      kind: ReferencedKind,
      put: (object: KubeObject) => void,
    ): FollowedResource => ({
      resource: { group, resource },
      onChange: (changes) => {
        for (const item of changes.put) put(item.parse());
        for (const key of changes.dropped) {
          const [name = '', namespace = ''] = key.split('/').reverse();
          graph.drop({ kind, namespace, name });
        }
      },
    });
    this.copy = new FollowedCopy([
      followed('', 'pods', 'pod', (pod) => graph.putPod(pod)),
      followed('', 'persistentvolumes', 'persistentvolume', (volume) => graph.putVolume(volume)),
      followed('storage.k8s.io', 'volumeattachments', 'volumeattachment', (attachment) =>
        graph.putOnNode('volumeattachment', attachment),
      ),
      followed('resource.k8s.io', 'resourceslices', 'resourceslice', (slice) =>
        graph.putOnNode('resourceslice', slice),
      ),
    ]);
  }
}

const keyOf = ({ kind, namespace, name }: ObjectReference): string => `${kind} ${namespace}/${name}`;

/** Directed edges between keys. The same edge may exist several times. */
class Arrows {
  readonly #targets = new Map<string, Map<string, number>>();

  add(from: string, to: string): void {
    let counts = this.#targets.get(from);
    if (counts === undefined) this.#targets.set(from, (counts = new Map<string, number>()));
    counts.set(to, (counts.get(to) ?? 0) + 1);
  }

  remove(from: string, to: string): void {
    const counts = this.#targets.get(from);
    const count = counts?.get(to) ?? 0;
    if (count > 1) counts?.set(to, count - 1);
    else counts?.delete(to);
    if (counts?.size === 0) this.#targets.delete(from);
  }

  has(from: string, to: string): boolean {
    return this.#targets.get(from)?.has(to) === true;
  }

  of(from: string): Iterable<string> {
    return this.#targets.get(from)?.keys() ?? [];
  }
}

/**
 * The objects related to each node: its pods and the objects that they refer to, the volumes of their claims, the secrets of those volumes, the
 * node's attachments and resource slices. Updated object by object. Its size is proportional to the pods, volumes, attachments and slices of the
 * cluster.
 * https://kubernetes.io/docs/reference/access-authn-authz/node/
 */
export class NodeGraph {
  /** From an object to the nodes that it is related to. */
  readonly #nodes = new Arrows();
  /** From a secret to volumes, and from a volume to its claim. */
  readonly #links = new Arrows();
  /** Removes the edges of an object when it changes. Keyed by the object that caused the edges. */
  readonly #undo = new Map<string, () => void>();

  putPod(pod: KubeObject): void {
    const node = nodeNameOf(pod);
    this.#replace(keyOfObject('pod', pod), node === '' ? [] : referencesOfPod(pod), node);
  }

  /** A VolumeAttachment or ResourceSlice. */
  putOnNode(kind: ReferencedKind, object: KubeObject): void {
    const node = nodeNameOf(object);
    const { name = '' } = object.metadata;
    this.#replace(keyOfObject(kind, object), node === '' ? [] : [{ kind, namespace: '', name }], node);
  }

  putVolume(volume: KubeObject): void {
    const key = keyOfObject('persistentvolume', volume);
    this.#takeBack(key);
    const references = referencesOfVolume(volume);
    if (references === undefined) return;
    const arrows = [
      [key, keyOf(references.claim)] as const,
      ...references.secrets.map((secret) => [keyOf(secret), key] as const),
    ];
    for (const [from, to] of arrows) this.#links.add(from, to);
    this.#undo.set(key, () => arrows.forEach(([from, to]) => this.#links.remove(from, to)));
  }

  drop(reference: ObjectReference): void {
    this.#takeBack(keyOf(reference));
  }

  /** Whether the object belongs to the node or is needed there. */
  relates(node: string, reference: ObjectReference): boolean {
    return this.#leadsTo(node, keyOf(reference));
  }

  /** The longest path is from a secret to a volume to a claim. */
  #leadsTo(node: string, key: string): boolean {
    if (this.#nodes.has(key, node)) return true;
    for (const next of this.#links.of(key)) if (this.#leadsTo(node, next)) return true;
    return false;
  }

  #replace(key: string, references: readonly ObjectReference[], node: string): void {
    this.#takeBack(key);
    if (references.length === 0) return;
    const keys = references.map(keyOf);
    for (const each of keys) this.#nodes.add(each, node);
    this.#undo.set(key, () => keys.forEach((each) => this.#nodes.remove(each, node)));
  }

  #takeBack(key: string): void {
    this.#undo.get(key)?.();
    this.#undo.delete(key);
  }
}

const keyOfObject = (kind: ReferencedKind, { metadata }: KubeObject): string =>
  keyOf({ kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' });
