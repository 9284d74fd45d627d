import type { RequestScope } from '@apichain/request';
import type { Query } from '@apichain/request';
import type { FlowRequest } from './fair-queue.ts';
import type { Flow } from './classifier.ts';
import type { ObjectSizes } from './object-sizes.ts';
import type { WatchTracker } from './watch-tracker.ts';

const mostListSeats = 100;
const mostWriteSeats = 10;
const bytesPerSeat = 100_000;
/** The limit in bytes for a list from the watch cache, because such a list is written in pieces. */
const mostFromCache = 1_000_000;
const largestObject = 1_500_000;
const watchesPerSeat = 10;
/** Milliseconds that a seat is busy with sending the event of a write to its watchers. */
const eventDuration = 5;

/** Estimates the seats of a request (k8s.io/apiserver/pkg/util/flowcontrol/request): one, unless a list is large or a write has many watchers. */
export class WorkEstimator {
  readonly #sizes: ObjectSizes | undefined;
  readonly #watches: WatchTracker;

  /** Without `sizes` every list counts as small. */
  constructor(sizes: ObjectSizes | undefined, watches: WatchTracker) {
    this.#sizes = sizes;
    this.#watches = watches;
  }

  estimate(request: FlowRequest<Flow>, scope: RequestScope): void {
    const info = scope.requestInfo;
    if (!info.isResourceRequest) return;
    switch (info.verb) {
      case 'list':
        request.initialSeats = this.#seatsOfList(request, scope);
        return;
      case 'watch':
        if (beginsWithList(scope.query)) request.initialSeats = this.#seatsOfList(request, scope);
        return;
      case 'create':
      case 'update':
      case 'patch':
      case 'delete':
        if (info.subresource !== 'token' || info.resource !== 'serviceaccounts') this.#chargeWatches(request, scope);
        return;
      default:
    }
  }

  #seatsOfList({ flow }: FlowRequest<Flow>, scope: RequestScope): number {
    const info = scope.requestInfo;
    const size = this.#sizes?.get(info);
    if (size === undefined) return 1;
    const fromCache = info.verb === 'watch' || !readsStore(scope.query);
    const limit = Number(scope.query.text('limit'));
    const limited = limit > 0 && limit < size.count ? limit : size.count;
    const average = size.averageBytes > 0 ? size.averageBytes : largestObject;
    let objects = limited;
    if (info.name !== '') objects = 1;
    else if (!fromCache && (info.fieldSelector !== '' || info.labelSelector !== '')) {
      objects = Math.max(limited, Math.trunc(size.count / 2));
    }
    const bytes = fromCache ? Math.min(objects * average, mostFromCache) : objects * average;
    const most = flow.level.maxSeats === 0 ? mostListSeats : Math.min(flow.level.maxSeats, mostListSeats);
    return Math.min(Math.max(1, Math.ceil(bytes / bytesPerSeat)), most);
  }

  #chargeWatches(request: FlowRequest<Flow>, scope: RequestScope): void {
    const { level, counts } = request.flow;
    const watches = this.#watches.interested(scope.requestInfo);
    counts.watchCounts.observe(watches);
    if (watches < watchesPerSeat) return;
    const most = level.maxSeats === 0 ? mostWriteSeats : Math.min(level.maxSeats, mostWriteSeats);
    const seats = Math.ceil(watches / watchesPerSeat);
    request.finalSeats = Math.min(seats, most);
    request.additionalLatency = (seats * eventDuration) / request.finalSeats;
  }
}

/** Whether a watch sends initial events: on request, and when it starts at any version. */
function beginsWithList(query: Query): boolean {
  const version = query.text('resourceVersion');
  if (version === '' || version === '0') return true;
  const asked = query.text('sendInitialEvents').toLowerCase();
  return asked !== '' && asked !== 'false' && asked !== '0';
}

/** Whether a list is not served from the latest state of the watch cache. */
function readsStore(query: Query): boolean {
  const match = query.text('resourceVersionMatch');
  if (match !== '') return match !== 'NotOlderThan';
  if (query.text('continue') !== '') return true;
  const version = query.text('resourceVersion');
  return Number(query.text('limit')) > 0 && version !== '' && version !== '0';
}
