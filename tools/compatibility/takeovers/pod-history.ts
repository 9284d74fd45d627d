import type { Pod } from '@apichain/api/core/v1';
import { Informer, type ResourceReference, type RestClient } from '@apichain/client';
import { findCondition } from '@apichain/meta';

/** What was seen of the pods of one app. */
interface Seen {
  /** The names of the pods in the order in which they were created. */
  readonly created: string[];
  readonly bound: Set<string>;
  /** The pods that are neither being deleted nor at their end, by uid, with whether they are ready. */
  readonly active: Map<string, boolean>;
  most: number;
  leastReady: number;
  readonly disordered: string[];
}

/** Follows pods, grouped by their label `app`, and keeps what one state in the end does not show. */
export class PodHistory {
  readonly #informer: Informer<Pod>;
  readonly #seen = new Map<string, Seen>();

  constructor(client: RestClient, resource: ResourceReference<Pod>) {
    this.#informer = new Informer<Pod>({ client, resource });
    this.#informer.addHandlers({
      onAdd: (pod) => this.#add(pod),
      onUpdate: (pod) => this.#update(pod),
      onDelete: (pod) => this.#remove(pod),
    });
  }

  async start(): Promise<void> {
    this.#informer.start();
    await this.#informer.waitForSync();
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }

  created(app: string): number {
    return this.#of(app).created.length;
  }

  /** How many pods have had a node. */
  bound(app: string): number {
    return this.#of(app).bound.size;
  }

  /** The most pods at a time. */
  most(app: string): number {
    return this.#of(app).most;
  }

  /** The fewest ready pods at a time, since `expectReady`. */
  leastReady(app: string): number {
    return this.#of(app).leastReady;
  }

  /** From now on the fewest ready pods are counted. */
  expectReady(app: string): void {
    this.#of(app).leastReady = readyOf(this.#of(app));
  }

  /** The pods of a StatefulSet that were created before the ones with a lower number were ready. */
  disordered(app: string): readonly string[] {
    return this.#of(app).disordered;
  }

  #of(app: string): Seen {
    const known = this.#seen.get(app);
    if (known !== undefined) return known;
    const created: Seen = {
      ...{ created: [], bound: new Set<string>(), active: new Map<string, boolean>(), disordered: [] },
      ...{ most: 0, leastReady: Infinity },
    };
    this.#seen.set(app, created);
    return created;
  }

  #add(pod: Pod): void {
    const { name = '' } = pod.metadata;
    const seen = this.#of(appOf(pod));
    const ready = readyOf(seen);
    if (Number(/-(\d+)$/.exec(name)?.[1] ?? 0) > ready)
      seen.disordered.push(`${name} was created beside ${ready} ready`);
    seen.created.push(name);
    this.#update(pod);
  }

  #update(pod: Pod): void {
    const seen = this.#of(appOf(pod));
    const { uid = '', deletionTimestamp } = pod.metadata;
    const { phase } = pod.status ?? {};
    if (pod.spec?.nodeName !== undefined) seen.bound.add(uid);
    if (deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed') seen.active.delete(uid);
    else seen.active.set(uid, findCondition(pod.status?.conditions, 'Ready')?.status === 'True');
    this.#measure(seen);
  }

  #remove(pod: Pod): void {
    const seen = this.#of(appOf(pod));
    seen.active.delete(pod.metadata.uid ?? '');
    this.#measure(seen);
  }

  #measure(seen: Seen): void {
    seen.most = Math.max(seen.most, seen.active.size);
    seen.leastReady = Math.min(seen.leastReady, readyOf(seen));
  }
}

const readyOf = ({ active }: Seen): number => [...active.values()].filter(Boolean).length;

const appOf = ({ metadata }: Pod): string => metadata.labels?.['app'] ?? '';
