import { ConfigurationWatch } from '@apichain/admission';
import type { UserInfo } from '@apichain/authn';
import type { GroupResource, KubeObject } from '@apichain/meta';
import type { ResourceStore } from '@apichain/storage';
import type { RequestInfo } from '@apichain/request';
import { Classifier, type Flow } from './classifier.ts';
import { flowSchemaOf, priorityLevelOf } from './configuration.ts';
import { ObjectSizes, type ObjectSize } from './object-sizes.ts';
import { PriorityLevels } from './priority-levels.ts';
import { WatchTracker } from './watch-tracker.ts';
import { WorkEstimator } from './work-estimate.ts';

const adjustIntervalMs = 10_000;

/** The sources of the limiter's configuration, and of the size of resources that are listed. */
export interface FlowControlSource {
  /** Undefined = not served; the built-in objects apply. */
  readonly flowSchemas: ResourceStore | undefined;
  readonly priorityLevels: ResourceStore | undefined;
  readonly sizeOf?: (resource: GroupResource) => Promise<ObjectSize | undefined>;
}

interface FlowControlOptions {
  /** The number of one-seat requests that the server serves at a time. */
  readonly seats: number;
  readonly sizeOf?: FlowControlSource['sizeOf'];
  readonly onError?: (error: unknown) => void;
  /** Milliseconds since an arbitrary time. */
  readonly clock?: () => number;
}

/**
 * API Priority and Fairness: determines the flow and priority level of a request, and when the request may run. Until a configuration is set, the
 * built-in mandatory objects apply. https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
export class FlowControl {
  readonly levels: PriorityLevels;
  readonly watches = new WatchTracker();
  readonly sizes: ObjectSizes | undefined;
  readonly estimator: WorkEstimator;
  /** Milliseconds since an arbitrary time. */
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

  /** Applies FlowSchemas and PriorityLevelConfigurations. Running requests are not affected. */
  configure(flowSchemas: readonly KubeObject[], priorityLevels: readonly KubeObject[]): void {
    this.#flowSchemas = flowSchemas;
    this.#priorityLevels = priorityLevels;
    this.levels.configure(priorityLevels.map(priorityLevelOf).filter((level) => level !== undefined));
    this.#classifier = new Classifier(flowSchemas.map(flowSchemaOf), this.levels);
  }

  /** Reassigns seats by demand, and removes priority levels that are no longer configured: every ten seconds. */
  adjust(): void {
    if (this.levels.canForget) this.configure(this.#flowSchemas ?? [], this.#priorityLevels ?? []);
    else this.levels.adjust();
  }

  /** Watches the configuration and adjusts to demand until the signal aborts. */
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
