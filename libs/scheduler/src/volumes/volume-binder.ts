import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { type RestClient, objectKey, resourceVersionOf } from '@apichain/client';
import { volumeGivenTo, isFullyBound, isReachable, storageAnnotations } from '@apichain/component-helpers';
import { startTimer } from '@apichain/meta';
import type { Cluster } from '../cluster/cluster.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import type { Reservation } from '../framework/plugin.ts';
import { notFound } from './claims.ts';
import type { VolumePlan } from './pod-volumes.ts';

const volumesResource = { group: '', version: 'v1', resource: 'persistentvolumes' };
const claimsResource = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };

/** How long the volumes of a pod may take to be bound. */
const bindTimeoutMs = 600_000;

/** What the binder knows of a binding in progress. */
interface Binding {
  readonly pod: PodInfo;
  readonly node: string;
  readonly volumes: readonly { readonly volume: PersistentVolume; readonly claim: PersistentVolumeClaim }[];
  readonly claims: readonly PersistentVolumeClaim[];
}

/**
 * Binds the claims of pods to volumes, and has volumes provisioned for the nodes that pods go to. It writes the volume or the annotation of the claim; the
 * controller of volumes does the rest, for which the pod waits.
 */
export class VolumeBinder {
  readonly #client: RestClient;
  readonly #cluster: Cluster;
  readonly #waiting = new Set<() => void>();

  constructor(client: RestClient, cluster: Cluster) {
    this.#client = client;
    this.#cluster = cluster;
  }

  /** Looks again at what pods wait for. To be called after changes of claims, volumes, nodes and pods. */
  recheck(): void {
    for (const check of this.#waiting) check();
  }

  /** Assumes the plan to be carried out, so that no other pod gets the same volume. */
  reserve(pod: PodInfo, node: string, plan: VolumePlan): Reservation {
    const { persistentVolumes, persistentVolumeClaims } = this.#cluster.objects;
    const volumes = plan.bindings.map(({ volume, claim }) => ({ volume: volumeGivenTo(volume, claim), claim }));
    const claims = plan.provisions.map((claim) => ({
      ...claim,
      metadata: {
        ...claim.metadata,
        annotations: { ...claim.metadata.annotations, [storageAnnotations.selectedNode]: node },
      },
    }));
    for (const { volume } of volumes) persistentVolumes.assume(volume);
    for (const claim of claims) persistentVolumeClaims.assume(claim);
    let binding: Binding = { pod, node, volumes, claims };
    return {
      plugin: 'VolumeBinding',
      release: () => {
        for (const { volume } of volumes) persistentVolumes.restore(objectKey(volume));
        for (const claim of claims) persistentVolumeClaims.restore(objectKey(claim));
      },
      write: async () => {
        binding = await this.#write(binding);
      },
      settled: (signal) => this.#untilBound(binding, signal),
    };
  }

  async #write(binding: Binding): Promise<Binding> {
    const volumes: { volume: PersistentVolume; claim: PersistentVolumeClaim }[] = [];
    for (const { volume, claim } of binding.volumes)
      volumes.push({ volume: await this.#client.update<PersistentVolume>(volumesResource, volume), claim });
    const claims: PersistentVolumeClaim[] = [];
    for (const claim of binding.claims) {
      const { namespace = '' } = claim.metadata;
      claims.push(await this.#client.update<PersistentVolumeClaim>({ ...claimsResource, namespace }, claim));
    }
    return { ...binding, volumes, claims };
  }

  #untilBound(binding: Binding, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        cancel();
        this.#waiting.delete(check);
        signal.removeEventListener('abort', abort);
      };
      const fail = (message: string) => {
        end();
        reject(new Error(`binding volumes: ${message}`));
      };
      const abort = () => fail('context canceled');
      const check = () => {
        const state = this.#stateOf(binding);
        if (state === 'bound') {
          end();
          resolve();
        } else if (state !== 'pending') fail(state.failure);
      };
      const cancel = startTimer(() => fail('context deadline exceeded'), bindTimeoutMs);
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(check);
      check();
    });
  }

  /** Whether the writes have had their effect. What was read before a write says nothing. */
  #stateOf({ pod, node: nodeName, volumes, claims }: Binding): 'bound' | 'pending' | { readonly failure: string } {
    const { persistentVolumes, persistentVolumeClaims } = this.#cluster.objects;
    const node = this.#cluster.node(nodeName);
    if (node === undefined) return { failure: `failed to get node "${nodeName}": ${notFound('node', nodeName)}` };
    if (this.#cluster.placedPod(pod.uid) === undefined)
      return { failure: `pod does not exist any more: ${notFound('pod', pod.name)}` };
    const affinityConflict = (name: string) => ({
      failure: `pv "${name}" node affinity doesn't match node "${nodeName}": no matching NodeSelectorTerms`,
    });
    for (const { volume, claim } of volumes) {
      const name = volume.metadata.name ?? '';
      const current = persistentVolumes.getObserved(name);
      const currentClaim = persistentVolumeClaims.getObserved(objectKey(claim));
      if (current === undefined || currentClaim === undefined)
        return {
          failure: `failed to check binding: could not find ${current === undefined ? name : objectKey(claim)}`,
        };
      if (resourceVersionOf(volume) > resourceVersionOf(current)) return 'pending';
      if (!isReachable(current, node.node)) return affinityConflict(name);
      if ((current.spec?.claimRef?.uid ?? '') === '') return { failure: `ClaimRef got reset for pv "${name}"` };
      if (!isFullyBound(currentClaim)) return 'pending';
    }
    for (const claim of claims) {
      const name = claim.metadata.name ?? '';
      const current = persistentVolumeClaims.getObserved(objectKey(claim));
      if (current === undefined)
        return {
          failure: `failed to check provisioning pvc: could not find v1.PersistentVolumeClaim "${objectKey(claim)}"`,
        };
      if (resourceVersionOf(claim) > resourceVersionOf(current)) return 'pending';
      const { annotations } = current.metadata;
      if (annotations === undefined) return { failure: `selectedNode annotation reset for PVC "${name}"` };
      if (annotations[storageAnnotations.selectedNode] !== nodeName)
        return { failure: `provisioning failed for PVC "${name}"` };
      const volumeName = current.spec?.volumeName ?? '';
      if (volumeName !== '') {
        const volume = persistentVolumes.getObserved(volumeName);
        if (volume === undefined) return 'pending';
        if (!isReachable(volume, node.node)) return affinityConflict(volumeName);
      }
      if (!isFullyBound(current)) return 'pending';
    }
    return 'bound';
  }
}
