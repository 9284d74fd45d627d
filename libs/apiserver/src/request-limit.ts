import type { Registry } from 'prom-client';
import { MaxInFlight } from '@apichain/flowcontrol';
import { PriorityAndFairness } from '@apichain/flowcontrol';
import type { RequestLimit } from '@apichain/flowcontrol';
import type { PostStartHook } from '@apichain/observability';
import type { PathMux } from '@apichain/request';
import type { RequestScope } from '@apichain/request';
import type { ServerConfig } from './server-config.ts';
import { installFlowControlDumps } from '@apichain/flowcontrol';
import { FlowControl } from '@apichain/flowcontrol';
import { registerFlowControlMetrics } from '@apichain/flowcontrol';

interface RequestLimitParts {
  readonly config: ServerConfig;
  readonly metrics: Registry;
  readonly paths: PathMux;
  readonly addHook: (name: string, hook: PostStartHook) => void;
  /** Read when the server starts. A server that clients cannot reach does not follow the configuration. */
  readonly isReachable: () => boolean;
  /** Called when a request is refused. */
  readonly onDrop: (scope: RequestScope) => void;
}

/** The request limiter of a server: priority and fairness if configured, otherwise the max-in-flight limits. */
export function requestLimit({
  config,
  metrics,
  paths,
  addHook,
  isReachable,
  onDrop,
}: RequestLimitParts): RequestLimit {
  const { limits, flowControl: source, priorityAndFairness, logger } = config;
  const { maxRequestsInFlight: readOnly, maxMutatingRequestsInFlight: mutating, requestTimeoutMs } = limits;
  if (source === undefined || priorityAndFairness === false) {
    addHook('max-in-flight-filter', () => undefined);
    return new MaxInFlight({ readOnly, mutating }, onDrop);
  }
  const control = new FlowControl({
    seats: readOnly + mutating,
    sizeOf: source.sizeOf,
    onError: (error) => logger.debug({ err: error }, 'priority and fairness: will try again'),
  });
  const limit = new PriorityAndFairness({ control, requestTimeoutMs, onDrop });
  registerFlowControlMetrics(metrics, control.levels, limit.utilization());
  installFlowControlDumps(paths, control.levels);
  addHook('priority-and-fairness-config-consumer', ({ signal }) => {
    if (isReachable()) control.start(source, signal);
  });
  addHook('priority-and-fairness-filter', () => undefined);
  // Objects are counted when a list request arrives, so the hook does nothing. kube-apiserver has a hook of this name.
  addHook('storage-object-count-tracker-hook', () => undefined);
  return limit;
}
