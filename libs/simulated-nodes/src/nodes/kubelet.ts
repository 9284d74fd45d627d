import type { Node, Pod } from '@apichain/api/core/v1';
import { dynamicValue, Timestamp, type Value } from '@apichain/cel';
import { EventRecorder, type RestClient } from '@apichain/client';
import { BoundedCache, lazy, type KubeObject } from '@apichain/meta';
import { errorText, type OnceLogger } from '../log.ts';
import { intentionsOf, prefix } from '../pods/annotations.ts';
import { PodAddresses } from '../pods/addresses.ts';
import { PodAdmission } from '../pods/pod-admission.ts';
import { StoppedPods, type PodEvent } from '../pods/events.ts';
import type { Moments } from '../pods/moments.ts';
import { newestResult } from '../pods/newest.ts';
import type { Situation } from '../pods/situation.ts';
import { statusPatch } from '../pods/status-patch.ts';
import { nextPodStep } from '../pods/steps.ts';
import type { Actor } from '../stages/actors.ts';
import { LazyMap } from '../stages/lazy-map.ts';
import { nodeEvents, nextNodeStep, withCapacity, type NodeFacts } from './node-status.ts';

/** The annotation of a Node whose kubelet is to stop (`true`): its lease, its status and its pods stay as they are. */
export const downAnnotation = `${prefix}down`;

/** What the annotation of a Node says about its kubelet; `unknown` for a value that makes no sense, which has no effect. */
function outageOf({ metadata }: Node): 'down' | 'up' | 'unknown' {
  const value = metadata.annotations?.[downAnnotation];
  if (value === 'true') return 'down';
  return value === undefined || value === 'false' ? 'up' : 'unknown';
}

/** What the kubelets of all nodes share. */
export interface KubeletParts {
  readonly facts: NodeFacts;
  readonly moments: Moments;
  readonly log: OnceLogger;
  readonly signal: AbortSignal;
  readonly clientOf: (node: string) => RestClient;
  /** A pod makes room for a critical one. */
  readonly onPreempt: (pod: Pod) => void;
  /** Whether a status that is outdated at once is not reported. Otherwise each step of a pod is reported, for stages that select it. */
  readonly skipsOutdated: boolean;
}

/** The kubelet of a simulated node: writes its Node and its pods as the user of the node. */
export class Kubelet {
  readonly name: string;
  readonly client: RestClient;
  /** For the stages of Nodes. */
  readonly forNode: Actor;
  /** For the stages of Pods. */
  readonly forPod: Actor;
  readonly #parts: KubeletParts;
  readonly #recorder: EventRecorder;
  readonly #admission: PodAdmission;
  readonly #stopped = new StoppedPods();
  readonly #exits = new BoundedCache<number>({ maxEntries: 1_000 });
  #addresses: PodAddresses;
  #node: Node;
  /** Whether the program that simulates has stopped the kubelet. */
  isStopped = false;

  constructor(node: Node, parts: KubeletParts) {
    const { name = '' } = node.metadata;
    this.name = name;
    this.#node = node;
    this.#parts = parts;
    this.client = parts.clientOf(name);
    this.#addresses = new PodAddresses(node.spec?.podCIDR ?? '10.244.0.0/24');
    this.#admission = new PodAdmission(withCapacity(node), parts.onPreempt);
    this.#recorder = new EventRecorder({
      client: this.client,
      component: 'kubelet',
      instance: name,
      signal: parts.signal,
      onError: (error) => parts.log.error(`event of node ${name} not written: ${errorText(error)}`),
    });
    this.forNode = this.#actor((object, now) => this.#nodeVariables(object, now));
    this.forPod = this.#actor((object, now) => ({
      node: dynamicValue(this.#node),
      kubelet: this.#podVariable(object, now),
    }));
  }

  get node(): Node {
    return this.#node;
  }

  /** Whether the kubelet does nothing: it has been stopped, or its Node has the annotation that says so. */
  get isDown(): boolean {
    return this.isStopped || outageOf(this.#node) === 'down';
  }

  /** The Node has changed. */
  update(node: Node): void {
    const { podCIDR } = node.spec ?? {};
    if (podCIDR !== undefined && podCIDR !== this.#node.spec?.podCIDR) this.#addresses = new PodAddresses(podCIDR);
    this.#node = node;
    this.#admission.setNode(withCapacity(node));
    if (outageOf(node) === 'unknown')
      this.#parts.log.error(`node ${this.name}: annotation ${downAnnotation}: it must be true or false`);
  }

  /** A pod of the node is there, or has changed. */
  follow(pod: Pod): void {
    this.#admission.follow(pod);
    if (!this.isDown) this.#tell(pod, this.#stopped.changed(pod));
  }

  /** A run of a container has exited because a user of it said so. */
  exited(containerID: string, exitCode: number): void {
    this.#exits.set(containerID, exitCode);
  }

  /** A pod of the node exists no longer. */
  removed(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const events = this.#stopped.removed(pod);
    if (!this.isDown) this.#tell(pod, events);
    this.#addresses.forget(uid);
    this.#admission.forget(uid);
    this.#parts.moments.forget(uid);
  }

  #tell(pod: Pod, events: readonly PodEvent[]): void {
    for (const event of events) this.#record(pod, event);
  }

  #actor(variables: Actor['variables']): Actor {
    return { client: this.client, record: (object, event) => this.#record(object, event), variables };
  }

  #nodeVariables(node: Node, now: number): Readonly<Record<string, Value>> {
    const { step, due, status } = nextNodeStep(node, this.#parts.facts, now);
    return {
      kubelet: new LazyMap({
        step: () => step,
        due: () => timestamp(due),
        status: () => dynamicValue(status),
        events: () => dynamicValue(nodeEvents(node, status)),
      }),
    };
  }

  #record(object: KubeObject, { type, reason, message, fieldPath }: PodEvent): void {
    // A kubelet names its Node without a uid.
    const isNode = object.kind === 'Node';
    this.#recorder.event(
      isNode ? { ...object, metadata: { name: this.name } } : object,
      type,
      reason,
      message,
      fieldPath === undefined ? {} : { fieldPath },
    );
  }

  /** What this kubelet does next to a pod: `step`, `due`, and for a step that is due `status` (a strategic merge patch) and `events`. */
  #podVariable(pod: Pod, now: number): LazyMap {
    const { moments, facts, skipsOutdated } = this.#parts;
    const { uid = '' } = pod.metadata;
    const intentions = intentionsOf(pod);
    const situation: Situation = {
      pod,
      intentions,
      now,
      rejection: lazy(() => this.#admission.admit(pod)),
      isPreempted: () => this.#admission.isPreempted(uid),
      exitCodeOf: (containerID) => this.#exits.get(containerID),
      hostIP: facts.address,
      podIP: () => this.#addresses.of(pod),
      momentOf: moments.of(uid, now),
    };
    const next = lazy(() => nextPodStep(situation));
    const taken = lazy(() => {
      const step = next();
      return step !== undefined && skipsOutdated ? newestResult(situation, step) : step?.result();
    });
    return new LazyMap({
      step: () => next()?.step ?? '',
      due: () => timestamp(next()?.due ?? now),
      status: () => {
        const status = taken()?.status;
        if (status === undefined) return null;
        moments.wrote(uid, now);
        return dynamicValue(statusPatch(pod, status));
      },
      events: () => {
        const events = taken()?.events ?? [];
        return dynamicValue(
          next()?.step === 'accept' ? [...this.#problems(pod, intentions.problems), ...events] : events,
        );
      },
    });
  }

  #problems({ metadata: { namespace = '', name = '' } }: Pod, problems: readonly string[]): PodEvent[] {
    for (const problem of problems) this.#parts.log.error(`pod ${namespace}/${name}: ${problem}`);
    return problems.map((message) => ({ type: 'Warning', reason: 'InvalidSimulation', message }));
  }
}

const timestamp = (milliseconds: number): Value => new Timestamp(BigInt(Math.ceil(milliseconds)) * 1_000_000n);
