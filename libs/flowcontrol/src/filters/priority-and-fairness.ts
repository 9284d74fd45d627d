import { FlowRequest } from '../fair-queue.ts';
import type { Flow } from '../classifier.ts';
import type { FlowControl } from '../flow-control.ts';
import type { RejectReason } from '../flow-counts.ts';
import type { KindUtilization } from '../metrics.ts';
import { TimedCount } from '../timing-histogram.ts';
import { scopeOf, type RequestScope } from '@apichain/request';
import { writeTextError } from '@apichain/request';
import type { Filter } from '@apichain/request';
import type { RequestKind, RequestLimit } from './request-limit.ts';

const flowSchemaHeader = 'X-Kubernetes-Pf-Flowschema-Uid';
const priorityLevelHeader = 'X-Kubernetes-Pf-Prioritylevel-Uid';
const longestWaitMs = 60_000;
const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

interface PriorityAndFairnessOptions {
  readonly control: FlowControl;
  readonly requestTimeoutMs: number;
  readonly onDrop: (scope: RequestScope) => void;
}

/** One request that the filter handles. */
interface Call {
  readonly work: FlowRequest<Flow>;
  readonly scope: RequestScope;
  readonly kind: RequestKind;
  readonly next: () => void;
}

/**
 * Limits requests by the seats of their priority levels (k8s.io/apiserver/pkg/server/filters/priority-and-fairness.go). Requests that an earlier
 * server of the chain has admitted are not limited again. A watch holds its seats until its initial events are sent.
 */
export class PriorityAndFairness implements RequestLimit {
  readonly #options: PriorityAndFairnessOptions;
  readonly #running: Readonly<Record<RequestKind, TimedCount>>;
  readonly #waiting: Readonly<Record<RequestKind, TimedCount>>;

  constructor(options: PriorityAndFairnessOptions) {
    this.#options = options;
    const { levels, clock } = options.control;
    const now = clock();
    const count = (limit: () => number) => ({
      readOnly: new TimedCount(limit, now),
      mutating: new TimedCount(limit, now),
    });
    this.#running = count(() => levels.nominalSeats);
    this.#waiting = count(() => levels.places);
  }

  running(kind: RequestKind): number {
    return this.#running[kind].value;
  }

  waiting(kind: RequestKind): number {
    return this.#waiting[kind].value;
  }

  utilization(): KindUtilization[] {
    const { clock } = this.#options.control;
    return Object.entries({ executing: this.#running, waiting: this.#waiting }).flatMap(([phase, kinds]) =>
      Object.entries(kinds).map(([kind, count]) => ({
        labels: { phase, request_kind: kind },
        histogram: () => count.histogram(clock()),
      })),
    );
  }

  readonly filter: Filter = (request, response, next) => {
    const scope = scopeOf(request);
    const info = scope.requestInfo;
    if (scope.longRunning && info.verb !== 'watch') {
      next();
      return;
    }
    const kind = readOnlyVerbs.has(info.verb) ? 'readOnly' : 'mutating';
    if (scope.delegated) {
      if (!scope.longRunning) this.#count(scope, kind);
      next();
      return;
    }
    const { control } = this.#options;
    const flow = control.classify(scope.user, info);
    response.setHeader(flowSchemaHeader, flow.schema.uid);
    response.setHeader(priorityLevelHeader, flow.level.configuration.uid);
    const work = new FlowRequest(flow);
    control.estimator.estimate(work, scope);
    flow.counts.estimatedSeats.observe(work.maxSeats);
    const result = flow.level.queues.start(work);
    if (result === 'executing') {
      flow.counts.immediate++;
      this.#execute({ work, scope, kind, next });
    } else if (result === 'waiting') this.#wait({ work, scope, kind, next });
    else this.#reject(work, scope, result);
  };

  #count(scope: RequestScope, kind: RequestKind): void {
    const running = this.#running[kind];
    running.value++;
    scope.onFinish(() => running.value--);
  }

  #execute({ work, scope, kind, next }: Call): void {
    const { counts } = work.flow;
    // The deadline may have passed between dispatch and execution. The seat then goes to the next request.
    if (scope.isAborted) {
      work.flow.level.queues.finish(work);
      return;
    }
    counts.dispatched++;
    this.#running[kind].change(1, work.flow.level.queues.now);
    if (scope.requestInfo.verb === 'watch') {
      scope.onFinish(this.#options.control.watches.register(scope.requestInfo));
      scope.whenInitialized = () => this.#finish(work, scope, kind);
    }
    scope.onFinish(() => this.#finish(work, scope, kind));
    next();
  }

  #finish(work: FlowRequest<Flow>, scope: RequestScope, kind: RequestKind): void {
    const { flow } = work;
    const milliseconds = flow.level.queues.finish(work);
    if (milliseconds === undefined) return;
    this.#running[kind].change(-1, flow.level.queues.now);
    const { verb } = scope.requestInfo;
    if (verb === 'watch') flow.counts.executedWatches.observe(milliseconds / 1000);
    else flow.counts.executed.observe(milliseconds / 1000);
    if (verb === 'list' && scope.response.statusCode === 200)
      this.#options.control.sizes?.noteListed(scope.requestInfo);
  }

  #wait(call: Call): void {
    const { work, scope, kind } = call;
    const { counts, level } = work.flow;
    const arrived = performance.now();
    const seconds = () => (performance.now() - arrived) / 1000;
    const leave = (): boolean => {
      clearTimeout(timer);
      if (!level.queues.cancel(work)) return false;
      this.#waiting[kind].change(-1, level.queues.now);
      counts.rejected['time-out']++;
      counts.waitedInVain.observe(seconds());
      return true;
    };
    const timer = setTimeout(() => {
      if (leave()) this.#refuse(work, scope);
    }, this.#waitLimit(scope));
    this.#waiting[kind].change(1, level.queues.now);
    // When the deadline passes or the client disconnects while the request waits, the request must not run.
    scope.onAbort(leave);
    scope.onFinish(leave);
    work.waiting = {
      arrivedAt: new Date(),
      description: { userName: scope.user.name, requestInfo: scope.requestInfo },
      onDispatch: () => {
        clearTimeout(timer);
        this.#waiting[kind].change(-1, level.queues.now);
        counts.waited.observe(seconds());
        scope.track?.('apf-queue-wait', seconds() * 1000);
        // Deferred, so that it does not run inside the handling of the response that freed the seat.
        queueMicrotask(() => this.#execute(call));
      },
    };
  }

  /** The longest wait in milliseconds: a quarter of the request's time limit, counted from its arrival. */
  #waitLimit({ deadline, receivedAt }: RequestScope): number {
    const all = deadline === undefined ? this.#options.requestTimeoutMs : deadline - receivedAt;
    return Math.max(0, receivedAt + Math.min(all / 4, longestWaitMs) - Date.now());
  }

  #reject(work: FlowRequest<Flow>, scope: RequestScope, reason: RejectReason): void {
    const { counts } = work.flow;
    counts.rejected[reason]++;
    counts.waitedInVain.observe(0);
    this.#refuse(work, scope);
  }

  #refuse({ flow }: FlowRequest<Flow>, scope: RequestScope): void {
    const { dropped } = flow.level;
    if (scope.isAborted) return;
    this.#options.onDrop(scope);
    dropped.record(Math.trunc(Date.now() / 1000));
    scope.response.setHeader('Retry-After', String(dropped.retryAfter));
    writeTextError(scope.response, 429, 'Too many requests, please try again later.');
  }
}
