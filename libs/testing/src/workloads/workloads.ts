import type { HostedSimulation } from '@apichain/chain';
import { discoverGroupVersion, type ResourceReference, type RestClient } from '@apichain/client';
import { didYouMean, isStatusError, parseGroupVersion, type KubeObject } from '@apichain/meta';
import { refuseUnknown } from '../known-names.ts';
import type { ChainTime } from '../time/chain-time.ts';
import { milliseconds, type Duration } from '../time/duration.ts';
import { progressOf } from './readiness.ts';

/** How long, by the clock of the chain, `ready` and `complete` let a workload take. */
export interface WorkloadWait {
  /** Default: 10 minutes. */
  readonly within?: Duration;
}

/** How a container ends. */
export interface ContainerEnd {
  /** Default: 1. */
  readonly exitCode?: number;
  /** The reason in its state, such as `OOMKilled`. */
  readonly reason?: string;
  /** The name of a container. Default: all containers that are not init containers. */
  readonly container?: string;
}

/** A simulated node of a test. */
export interface NodeControl {
  /** Its kubelet stops: its lease expires, after some time its pods count as lost. */
  down(): Promise<void>;
  /** Its kubelet starts again. */
  up(): Promise<void>;
}

/**
 * The simulated workloads of a chain. Objects are named `deployment/web`, or `shop/deployment/web` in the namespace `shop`. Custom resources have their
 * full name: `tenants.example.com/acme`. A name without a kind is a pod.
 */
export interface Workloads {
  /**
   * Resolves with the object when it is ready, a Job when it is complete: a virtual clock goes on until then. Rejects with the reason when it has failed,
   * or is not ready in time.
   */
  ready(name: string, wait?: WorkloadWait): Promise<KubeObject>;
  /** Ends the containers of a pod, once. What then happens is up to its restart policy. Resolves when the chain has settled. */
  fail(pod: string, end?: ContainerEnd): Promise<void>;
  /** Lets all pods of a Job succeed, one after the other. Resolves with the Job when it is complete. */
  complete(job: string, wait?: WorkloadWait): Promise<KubeObject>;
  /** Throws Error for a node that is not simulated. */
  node(name: string): NodeControl;
}

const prefix = 'simulate.apichain.dev/';
const defaultWait: Duration = '10m';
/** How often a clock that runs by itself is looked at, in milliseconds. */
const lookMs = 20;
/** How many events the message about a workload that is not ready has. */
const shownEvents = 3;

/** The kinds by the names that kubectl accepts for them. */
const resources: Readonly<Record<string, ResourceReference>> = Object.fromEntries(
  [
    ['', 'pods', 'pod', 'po'],
    ['', 'nodes', 'node', 'no'],
    ['', 'replicationcontrollers', 'replicationcontroller', 'rc'],
    ['apps', 'deployments', 'deployment', 'deploy'],
    ['apps', 'statefulsets', 'statefulset', 'sts'],
    ['apps', 'daemonsets', 'daemonset', 'ds'],
    ['apps', 'replicasets', 'replicaset', 'rs'],
    ['batch', 'jobs', 'job'],
  ].flatMap(([group = '', resource = '', ...names]) =>
    [resource, ...names].map((name) => [name, { group, version: 'v1', resource }]),
  ),
);

interface Target {
  readonly resource: ResourceReference;
  readonly name: string;
}

/** The workloads of a chain in this process. */
export class SimulatedWorkloads implements Workloads {
  readonly #client: RestClient;
  readonly #time: ChainTime;
  readonly #simulation: HostedSimulation;

  constructor(client: RestClient, time: ChainTime, simulation: HostedSimulation) {
    this.#client = client;
    this.#time = time;
    this.#simulation = simulation;
  }

  async ready(name: string, wait: WorkloadWait = {}): Promise<KubeObject> {
    const target = await this.#targetOf(name);
    return this.#until(target, name, wait, async () => undefined);
  }

  async complete(name: string, wait: WorkloadWait = {}): Promise<KubeObject> {
    const target = await this.#targetOf(name);
    if (target.resource.resource !== 'jobs') throw new TypeError(`complete: ${name} is not a Job such as job/backup`);
    return this.#until(target, name, wait, async (job) => {
      const labelSelector = `batch.kubernetes.io/controller-uid=${job.metadata.uid}`;
      const { items } = await this.#client.list(
        { ...pods, namespace: target.resource.namespace ?? '' },
        { labelSelector },
      );
      for (const pod of items) {
        const { phase } = (pod.status ?? {}) as { phase?: string };
        if (phase === 'Running' || phase === 'Pending') await this.#exit(pod, { exitCode: 0 });
      }
    });
  }

  async fail(name: string, end: ContainerEnd = {}): Promise<void> {
    refuseUnknown('fail', 'option', end, { exitCode: true, reason: true, container: true });
    const { resource, name: podName } = await this.#targetOf(name);
    if (resource.resource !== 'pods') throw new TypeError(`fail: ${name} is not a pod such as pod/web-0`);
    await this.#exit(await this.#client.get(resource, podName), { exitCode: 1, ...end });
    await this.#time.activity.settle();
  }

  node(name: string): NodeControl {
    const node = this.#simulation.node(name);
    const settled = (change: () => void) => async () => {
      this.#time.run(change);
      await this.#time.activity.settle();
    };
    return { down: settled(() => node.down()), up: settled(() => node.up()) };
  }

  /** Tells the simulation in annotations that the containers end once more. */
  async #exit({ metadata, status }: KubeObject, { exitCode = 1, reason, container }: ContainerEnd): Promise<void> {
    const { containerStatuses = [] } = (status ?? {}) as {
      containerStatuses?: { name: string; restartCount?: number }[];
    };
    const restarts = containerStatuses
      .filter(({ name }) => container === undefined || name === container)
      .map(({ restartCount = 0 }) => restartCount);
    const suffix = container === undefined ? '' : `.${container}`;
    const annotations = {
      [`${prefix}exit-code${suffix}`]: String(exitCode),
      [`${prefix}times${suffix}`]: String(Math.max(0, ...restarts) + 1),
      ...(reason === undefined ? {} : { [`${prefix}exit-reason${suffix}`]: reason }),
    };
    await this.#client.patch({ ...pods, namespace: metadata.namespace ?? '' }, metadata.name ?? '', 'merge', {
      metadata: { annotations },
    });
  }

  /** Lets time pass until the object is ready. `act` may do something whenever it is not. */
  async #until(
    target: Target,
    shown: string,
    { within = defaultWait }: WorkloadWait,
    act: (object: KubeObject) => Promise<void>,
  ): Promise<KubeObject> {
    const { clock, activity } = this.#time;
    const deadline = clock.now() + milliseconds(within);
    for (;;) {
      await activity.settle();
      const object = await this.#get(target);
      const progress =
        object === undefined ? ({ state: 'waiting', why: 'it does not exist' } as const) : progressOf(object);
      if (progress.state === 'ready' && object !== undefined) return object;
      const next = clock.isVirtual ? clock.nextDue : clock.now() + lookMs;
      if (progress.state !== 'waiting' || next === undefined || next > deadline)
        throw new Error(
          await this.#explain(
            target,
            shown,
            'why' in progress ? progress.why : '',
            progress.state === 'failed' ? '' : ` within ${String(within)}`,
          ),
        );
      const before = this.#time.activity.version;
      if (object !== undefined) await act(object);
      if (this.#time.activity.version !== before) await activity.settle();
      if (clock.isVirtual) await clock.advance(Math.max(0, next - clock.now()));
      else await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

  async #get({ resource, name }: Target): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(resource, name);
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Why something is not ready, with the last events of its namespace. */
  async #explain({ resource }: Target, shown: string, why: string, within: string): Promise<string> {
    const { items } = await this.#client.list({ ...events, namespace: resource.namespace ?? '' });
    const warnings = items
      .map(
        (event) =>
          event as KubeObject &
            Partial<{
              type: string;
              reason: string;
              message: string;
              involvedObject: { kind?: string; name?: string };
            }>,
      )
      .filter(({ type }) => type === 'Warning')
      .slice(-shownEvents)
      .map(
        ({ involvedObject = {}, reason, message }) =>
          `${involvedObject.kind} ${involvedObject.name}: ${reason}: ${message}`,
      );
    const seen = warnings.length === 0 ? '' : `; ${warnings.join('; ')}`;
    return `${shown} is not ready${within}: ${why}${seen}`;
  }

  async #targetOf(text: string): Promise<Target> {
    const parts = text.split('/');
    const [name = '', kind = 'pod', namespace = 'default'] = parts.reverse();
    if (parts.length > 3 || parts.includes(''))
      throw new TypeError(`${JSON.stringify(text)} is not a name such as deployment/web or shop/deployment/web`);
    const resource = resources[kind.toLowerCase()] ?? (await this.#customResource(kind));
    return { resource: { ...resource, namespace: resource.resource === 'nodes' ? '' : namespace }, name };
  }

  /** The served version of `tenants.example.com`. */
  async #customResource(kind: string): Promise<ResourceReference> {
    const [resource = '', ...group] = kind.split('.');
    const { groups = [] } = (await this.#client.request('GET', '/apis')) as {
      groups?: { name: string; preferredVersion: { groupVersion: string } }[];
    };
    const found = groups.find(({ name }) => name === group.join('.'));
    if (found === undefined)
      throw new TypeError(
        `there is no kind ${kind}${didYouMean(kind, Object.keys(resources))}; a custom one is named like tenants.example.com`,
      );
    const groupVersion = parseGroupVersion(found.preferredVersion.groupVersion);
    const mappings = await discoverGroupVersion(this.#client, groupVersion);
    if (!mappings.some((mapping) => mapping.resource === resource))
      throw new TypeError(`${found.preferredVersion.groupVersion} has no resource ${resource}`);
    return { ...groupVersion, resource };
  }
}

const pods = { group: '', version: 'v1', resource: 'pods' };
const events = { group: '', version: 'v1', resource: 'events' };
