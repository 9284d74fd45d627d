import type { Pod } from '@apichain/api/core/v1';
import { integer } from '@apichain/meta';
import { type AffinityTerms, affinityTermsOf } from './affinity-terms.ts';
import { type HostPort, hostPortsOf } from './host-ports.ts';
import { hasPodLevelRequests, podRequests } from './pod-requests.ts';
import { type Resources, resourcesOf } from './resources.ts';

/** What a container without requests counts as requesting when nodes are scored, so that not all such pods go to one node. */
const defaultRequests: ReadonlyMap<string, number> = new Map([
  ['cpu', 100],
  ['memory', 200 * 1024 * 1024],
]);

/** A pod with what the scheduler derives of it, each when it is first asked for. The pod is never changed. */
export class PodInfo {
  readonly pod: Pod;
  #requests: Resources | undefined;
  #occupied: Resources | undefined;
  #nonZero: { readonly milliCPU: number; readonly memory: number } | undefined;
  #terms: AffinityTerms | undefined;
  #ports: readonly HostPort[] | undefined;
  #claims: readonly string[] | undefined;

  constructor(pod: Pod) {
    this.pod = pod;
  }

  get uid(): string {
    return this.pod.metadata.uid ?? '';
  }
  get name(): string {
    return this.pod.metadata.name ?? '';
  }
  get namespace(): string {
    return this.pod.metadata.namespace ?? '';
  }
  /** `namespace/name` */
  get key(): string {
    return `${this.namespace}/${this.name}`;
  }
  get labels(): Readonly<Record<string, string>> | undefined {
    return this.pod.metadata.labels;
  }
  get priority(): number {
    return this.pod.spec?.priority ?? 0;
  }
  get schedulerName(): string {
    return this.pod.spec?.schedulerName ?? '';
  }
  get nominatedNodeName(): string {
    return this.pod.status?.nominatedNodeName ?? '';
  }
  get isTerminating(): boolean {
    return this.pod.metadata.deletionTimestamp !== undefined;
  }
  get generation(): number {
    return integer(this.pod.metadata.generation);
  }

  /** What the pod asks for, as it is not yet running. */
  get requests(): Resources {
    this.#requests ??= resourcesOf(podRequests(this.pod));
    return this.#requests;
  }
  /** What the pod takes of its node. */
  get occupied(): Resources {
    this.#occupied ??= resourcesOf(podRequests(this.pod, { useStatus: true }));
    return this.#occupied;
  }
  /** CPU and memory that the pod takes, and a minimum for containers that request none. */
  get nonZero(): { readonly milliCPU: number; readonly memory: number } {
    this.#nonZero ??= nonZeroRequests(this.pod);
    return this.#nonZero;
  }
  /** Throws SelectorError. */
  get terms(): AffinityTerms {
    this.#terms ??= affinityTermsOf(this.pod);
    return this.#terms;
  }
  get hostPorts(): readonly HostPort[] {
    this.#ports ??= hostPortsOf(this.pod);
    return this.#ports;
  }
  /** The keys, `namespace/name`, of the claims that the pod names. Claims of ephemeral volumes are not among them. */
  get claims(): readonly string[] {
    this.#claims ??= (this.pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
      persistentVolumeClaim === undefined ? [] : [`${this.namespace}/${persistentVolumeClaim.claimName ?? ''}`],
    );
    return this.#claims;
  }
  get hasAffinity(): boolean {
    const { podAffinity, podAntiAffinity } = this.pod.spec?.affinity ?? {};
    return podAffinity !== undefined || podAntiAffinity !== undefined;
  }
}

function nonZeroRequests(pod: Pod): { readonly milliCPU: number; readonly memory: number } {
  const requests = podRequests(pod, { useStatus: true });
  // Requests for the pod as a whole say what its containers need together.
  const nonMissing = hasPodLevelRequests(pod)
    ? new Map([...defaultRequests].filter(([name]) => !requests.has(name)))
    : defaultRequests;
  const counted = podRequests(pod, { useStatus: true, nonMissing });
  return { milliCPU: counted.get('cpu') ?? 0, memory: counted.get('memory') ?? 0 };
}
