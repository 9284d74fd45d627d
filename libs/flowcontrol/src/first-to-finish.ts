import type { FairQueue, FlowRequest } from './fair-queue.ts';

/** The assumed duration of a request until it is known, in milliseconds. */
export const estimatedDuration = 3;

/** The work of a request, in seat-milliseconds. */
export const workOf = (request: FlowRequest): number =>
  request.initialSeats * estimatedDuration + request.finalSeats * request.additionalLatency;

/** The bounds of the virtual start times of the queues, also less the work that they have in hand. */
interface StartTimes {
  min: number;
  max: number;
  discountedMin: number;
  discountedMax: number;
}

/** The queue that was served last, and the number of indices after which the round begins again. */
interface LastServed {
  readonly index: number;
  readonly count: number;
}

/** How many queues after the last one served a queue comes. */
const distanceOf = ({ index }: FairQueue, last: LastServed): number =>
  (index - last.index - 1 + last.count) % last.count;

/**
 * The oldest request of the queue that would finish its request first by virtual time, of the queues whose oldest request is acceptable. Queues with equal
 * finish times are served round-robin. Undefined = there is none.
 */
export function firstToFinish(
  queues: Iterable<FairQueue>,
  last: LastServed,
  isAcceptable: (request: FlowRequest) => boolean = () => true,
): { readonly request: FlowRequest; readonly queue: FairQueue; readonly s: Readonly<StartTimes> } | undefined {
  let first: { request: FlowRequest; queue: FairQueue } | undefined;
  let earliest = Infinity;
  const s: StartTimes = { min: Infinity, max: -Infinity, discountedMin: Infinity, discountedMax: -Infinity };
  for (const queue of queues) {
    const request = queue.oldest;
    if (request === undefined || !isAcceptable(request)) continue;
    const start = queue.nextDispatchR;
    const discounted = start - queue.seatsInUse * estimatedDuration;
    s.min = Math.min(s.min, start);
    s.max = Math.max(s.max, start);
    s.discountedMin = Math.min(s.discountedMin, discounted);
    s.discountedMax = Math.max(s.discountedMax, discounted);
    const finish = start + workOf(request);
    const isLater = first !== undefined && distanceOf(queue, last) >= distanceOf(first.queue, last);
    if (finish > earliest || (finish === earliest && isLater)) continue;
    earliest = finish;
    first = { request, queue };
  }
  return first && { ...first, s };
}
