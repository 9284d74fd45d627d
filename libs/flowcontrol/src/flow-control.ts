import { ConfigurationWatch } from '@apichain/admission';
import type { UserInfo } from '@apichain/authn';
import type { GroupResource, KubeObject } from '@apichain/meta';
import type { ResourceStore } from '@apichain/storage';
import type { RequestInfo } from '@apichain/request';
import { Classifier } from './classifier.ts';
import { flowSchemaOf, priorityLevelOf } from './configuration.ts';
import type { Flow } from './flow.ts';
import { ObjectSizes, type ObjectSize } from './object-sizes.ts';
import { PriorityLevels } from './priority-levels.ts';
import { WatchTracker } from './watch-tracker.ts';
import { WorkEstimator } from './work-estimate.ts';

const adjustIntervalMs = 10_000;

/** Where the limiter reads what it is configured by, and how large the resources are that it lets clients list. */
export interface FlowControlSource {
  /** Undefined = not served: the built-in objects hold. */
  readonly flowSchemas: ResourceStore | undefined;
  readonly priorityLevels: ResourceStore | undefined;
  readonly sizeOf?: (resource: GroupResource) => Promise<ObjectSize | undefined>;
}

export interface FlowControlOptions {
  /** Requests of one seat that the server serves at a time. */
  readonly seats: number;
  readonly sizeOf?: FlowControlSource['sizeOf'];
  readonly onError?: (error: unknown) => void;
  /** Milliseconds from any beginning. */
  readonly clock?: () => number;
}

/**
 * API Priority and Fairness: which flow and priority level a request is of, and when it may run. Until a configuration is set the
 * built-in mandatory objects hold. https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
export class FlowControl {
  readonly levels: PriorityLevels;
  readonly watches = new WatchTracker();
  readonly sizes: ObjectSizes | undefined;
  readonly estimator: WorkEstimator;
  /** Milliseconds from any beginning. */
  readonly clock: () => number;
  readonly #onError: (error: unknown) => void;
  #flowSchemas: readonly KubeObject[] | undefined;
  #priorityLevels: readonly KubeObject[] | undefined;
  #classifier: Classifier;

  constructor({ seats, sizeOf, onError = () => undefined, clock = () => performance.now() }: FlowControlOptions) {
    this.#onError = onError;
    this.clock = clock;
    this.levels = new PriorityLevels(seats, clock);
    this.sizes = sizeOf === undefined ? undefined : new ObjectSizes(sizeOf, onError);
    this.estimator = new WorkEstimator(this.sizes, this.watches);
    this.levels.configure([]);
    this.#classifier = new Classifier([], this.levels);
  }

  classify(user: UserInfo, info: RequestInfo): Flow {
    return this.#classifier.classify(user, info);
  }

  /** Takes over FlowSchemas and PriorityLevelConfigurations; requests under way are not disturbed. */
  configure(flowSchemas: readonly KubeObject[], priorityLevels: readonly KubeObject[]): void {
    this.#flowSchemas = flowSchemas;
    this.#priorityLevels = priorityLevels;
    this.levels.configure(priorityLevels.map(priorityLevelOf).filter((level) => level !== undefined));
    this.#classifier = new Classifier(flowSchemas.map(flowSchemaOf), this.levels);
  }

  /** Shifts seats to where they are needed, and lets go of priority levels that are gone: every ten seconds. */
  adjust(): void {
    if (this.levels.canForget) this.configure(this.#flowSchemas ?? [], this.#priorityLevels ?? []);
    else this.levels.adjust();
  }

  /** Follows the configuration and adjusts to demand until the signal aborts. */
  start({ flowSchemas, priorityLevels }: FlowControlSource, signal: AbortSignal): void {
    const changed = () => {
      if (this.#flowSchemas === undefined || this.#priorityLevels === undefined) return;
      this.configure(this.#flowSchemas, this.#priorityLevels);
    };
    const follow = (store: ResourceStore | undefined, onChange: (objects: readonly KubeObject[]) => void) =>
      void new ConfigurationWatch({ store, onChange, onError: this.#onError }).run(signal);
    follow(flowSchemas, (objects) => {
      this.#flowSchemas = objects;
      changed();
    });
    follow(priorityLevels, (objects) => {
      this.#priorityLevels = objects;
      changed();
    });
    const timer = setInterval(() => this.adjust(), adjustIntervalMs).unref();
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  }
}
