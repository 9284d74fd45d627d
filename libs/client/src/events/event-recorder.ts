import { hostname } from 'node:os';
import {
  type KubeObject,
  currentTime,
  isNamespaceGoing,
  isStatusError,
  sleepByClock,
  startTimer,
} from '@apichain/meta';
import type { RestClient } from '../rest-client.ts';
import { CoreEvents } from './core-events.ts';
import { EventSeries } from './event-series.ts';
import { type EventType, type EventWrite, type Occurrence, referenceTo } from './occurrence.ts';

/** Who records events, and with which API. */
export interface EventRecorderOptions {
  readonly client: RestClient;
  /** The name of the reporting component: `deployment-controller`. */
  readonly component: string;
  /** The node, for a component that runs on each. Default: none in core/v1, component and host name in events.k8s.io/v1. */
  readonly instance?: string;
  /** Default: core/v1, as kube-controller-manager and kubelet use. kube-scheduler uses events.k8s.io/v1. */
  readonly api?: 'core/v1' | 'events.k8s.io/v1';
  /** Ends the recorder when aborted. Events that are not written by then are lost. */
  readonly signal?: AbortSignal;
  /** Called when an event cannot be written and is given up, unless its namespace is going or an Event has its name: as in client-go, that is no fault. */
  readonly onError?: (error: unknown, event: KubeObject) => void;
}

/** Less common parts of an event. */
interface EventDetails {
  /** What was done; required by events.k8s.io/v1. */
  readonly action?: string;
  readonly related?: KubeObject;
  /** The part of the object: `spec.containers{web}`. */
  readonly fieldPath?: string;
}

const resources = {
  'core/v1': { group: '', version: 'v1', resource: 'events' },
  'events.k8s.io/v1': { group: 'events.k8s.io', version: 'v1', resource: 'events' },
} as const;

/** Occurrences beyond this are dropped, so that a slow server does not exhaust the memory. */
const maxQueued = 10_000;
const maxTries = 12;
const retryMs = 10_000;

/**
 * Records Events about objects, one after the other in the order of the calls. Repeated occurrences are counted in one Event, as client-go counts them.
 * https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #resource: (typeof resources)[keyof typeof resources];
  readonly #signal: AbortSignal;
  readonly #series: EventSeries | undefined;
  readonly #correlate: (occurrence: Occurrence) => EventWrite | undefined;
  #queue: Occurrence[] = [];
  #isWriting = false;
  #cancelFinish: (() => void) | undefined;

  constructor(options: EventRecorderOptions) {
    const { api = 'core/v1', component } = options;
    this.#options = options;
    this.#resource = resources[api];
    this.#signal = options.signal ?? new AbortController().signal;
    if (api === 'core/v1') {
      const events = new CoreEvents({ component, instance: options.instance ?? '' });
      this.#correlate = (occurrence) => events.take(occurrence);
    } else {
      const series = new EventSeries({ component, instance: options.instance ?? `${component}-${hostname()}` });
      this.#series = series;
      this.#correlate = (occurrence) => series.take(occurrence);
      this.#signal.addEventListener('abort', () => this.#cancelFinish?.(), { once: true });
    }
  }

  /** Records an event about an object, at some time after the call. Never throws: an event that cannot be written is dropped. */
  event(regarding: KubeObject, type: EventType, reason: string, message: string, details: EventDetails = {}): void {
    if (this.#signal.aborted || this.#queue.length >= maxQueued) return;
    const { action, related, fieldPath } = details;
    this.#queue.push({
      time: currentTime(),
      regarding: referenceTo(regarding, fieldPath),
      type,
      reason,
      message,
      action,
      related: related && referenceTo(related),
    });
    if (this.#isWriting) return;
    this.#isWriting = true;
    void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0 && !this.#signal.aborted) {
      const occurrences = this.#queue;
      this.#queue = [];
      for (const occurrence of occurrences) {
        const write = this.#correlate(occurrence);
        if (write !== undefined) await this.#write(write);
      }
      await this.#finishSeries();
    }
    this.#isWriting = false;
  }

  async #finishSeries(): Promise<void> {
    for (const write of this.#series?.finish(currentTime()) ?? []) await this.#write(write);
    const next = this.#series?.nextFinish;
    if (next === undefined || this.#cancelFinish !== undefined || this.#signal.aborted) return;
    this.#cancelFinish = startTimer(
      () => {
        this.#cancelFinish = undefined;
        void this.#finishSeries();
      },
      next - currentTime(),
      'check',
    );
  }

  async #write({ namespace, event, patch }: EventWrite): Promise<void> {
    const { client, onError } = this.#options;
    const ref = { ...this.#resource, namespace };
    for (let tries = 1; !this.#signal.aborted; tries++) {
      try {
        if (patch === undefined || !(await isPatched(client.patch(ref, patch.name, 'strategic', patch.body))))
          await client.create(ref, event);
        return;
      } catch (error) {
        if (this.#signal.aborted || isNamespaceGoing(error) || isStatusError(error, 'AlreadyExists')) return;
        // A response of the server is final. Without a response, everything waits for the server.
        if (isStatusError(error) || tries === maxTries) return onError?.(error, event);
        await sleepByClock(retryMs, this.#signal);
      }
    }
  }
}

/** Resolves to false if there is no object to patch. */
async function isPatched(patching: Promise<unknown>): Promise<boolean> {
  try {
    await patching;
    return true;
  } catch (error) {
    if (isStatusError(error) && error.code === 404) return false;
    throw error;
  }
}
