import type { KubeObject } from '@apichain/meta';
import { FollowedCopy, type FollowedResource } from '../followed-copy.ts';
import { NodeGraph } from './node-graph.ts';
import type { ReferencedKind } from './object-references.ts';

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
