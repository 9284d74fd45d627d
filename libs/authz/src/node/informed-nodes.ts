import { Informer, type ResourceReference, type RestClient } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { NodeGraph } from './node-graph.ts';
import type { ReferencedKind } from './object-references.ts';

const reference = (group: string, resource: string): ResourceReference => ({ group, version: 'v1', resource });

/** A NodeGraph that follows the objects of the cluster by watches. Empty until `start`, so that no node is allowed anything before. */
export class InformedNodes {
  readonly graph = new NodeGraph();
  #informers: readonly Informer[] = [];

  /** Begins to follow the server that `client` reaches. Resolves when the first copy is complete. Stops with the signal. */
  async start(client: RestClient, signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    const { graph } = this;
    const follow = (resource: ResourceReference, kind: ReferencedKind, put: (object: KubeObject) => void) =>
      new Informer({
        client,
        resource,
        // The graph has what matters; the informer itself only needs to tell objects apart.
        transform: (object) => {
          put(object);
          const { apiVersion, metadata } = object;
          const { name, namespace, resourceVersion } = metadata;
          return {
            apiVersion,
            kind: object.kind,
            metadata: { name, ...(namespace === undefined ? {} : { namespace }), resourceVersion },
          };
        },
        onError,
      })
        .addHandlers({ onDelete: (object) => graph.drop(kind, object) })
        .start();
    this.#informers = [
      follow(reference('', 'pods'), 'pod', (pod) => graph.putPod(pod)),
      follow(reference('', 'persistentvolumes'), 'persistentvolume', (volume) => graph.putVolume(volume)),
      follow(reference('storage.k8s.io', 'volumeattachments'), 'volumeattachment', (attachment) =>
        graph.putOnNode('volumeattachment', attachment),
      ),
      follow(reference('resource.k8s.io', 'resourceslices'), 'resourceslice', (slice) =>
        graph.putOnNode('resourceslice', slice),
      ),
    ];
    signal.addEventListener('abort', () => {
      for (const running of this.#informers) void running.stop();
    });
    await Promise.all(this.#informers.map((running) => running.waitForSync()));
  }
}
