import type { Queuing } from './configuration.ts';
import { FairQueue } from './fair-queue.ts';
import type { FlowRequest } from './fair-queue.ts';
import { estimatedDuration, firstToFinish, workOf } from './first-to-finish.ts';
import { SeatDemand } from './seat-demand.ts';
import { TimingHistogram } from './timing-histogram.ts';

/** The most idle queues that are kept. */
const mostKept = 1024;
const mostListed = 10_000;
/** The part of the seats that requests of more than one seat leave to those of one. */
const narrowShare = 0.1;

const utilizationBounds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const requestBounds = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const demandBounds = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];

/** `exempt` = never wait, never reject. Without `queuing`, a request without a free seat is rejected. */
interface QueueSetConfiguration {
  readonly exempt: boolean;
  readonly queuing: Queuing | undefined;
}

type StartResult = 'executing' | 'waiting' | 'queue-full' | 'concurrency-limit';

/**
 * The seats of one priority level and the requests that wait for them: fair queuing by virtual time, as described in
 * k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing. The meter R is the work, in seat-milliseconds, that every busy queue has had as its fair
 * share. The next request is the one that would finish first by R. While there are free seats, a request costs a few additions: it is added to no
 * list, and nothing is allocated for it.
 *
 * Unlike in the original, a request of many seats that waits for them does not hold back every other flow: a tenth of the seats is left to requests
 * of one seat, which may pass it. It is not starved, because those that pass take no other seats.
 */
export class QueueSet {
  readonly demand = new SeatDemand();
  readonly seatUtilization = new TimingHistogram(utilizationBounds);
  readonly executingUtilization = new TimingHistogram(requestBounds);
  readonly waitingUtilization = new TimingHistogram(requestBounds);
  readonly demandUtilization = new TimingHistogram(demandBounds);
  /** The state of the meter at the last dispatch, for the metrics. */
  readonly lastDispatch = { r: 0, s: 0, sMin: 0, sMax: 0, discountedSMin: 0, discountedSMax: 0 };
  readonly #clock: () => number;
  /** The queues that were used, limited in number. */
  readonly #queues = new Map<number, FairQueue>();
  /** The queues with waiting requests. */
  readonly #nonEmpty = new Set<FairQueue>();
  #configuration: QueueSetConfiguration;
  #limit: number;
  #denominator: number;
  #executing = 0;
  #seatsInUse = 0;
  /** The seats of the requests that have passed a wider one. */
  #seatsPassing = 0;
  #waiting = 0;
  #seatsWaiting = 0;
  #busyQueues = 0;
  #currentR = 0;
  #lastTime: number;
  #enqueued = 0;
  #lastIndex = 0;

  /** `limit` = seats; `clock` returns milliseconds since an arbitrary time. */
  constructor(configuration: QueueSetConfiguration, limit: number, clock: () => number) {
    this.#configuration = configuration;
    this.#limit = limit;
    this.#denominator = Math.max(1, limit);
    this.#clock = clock;
    this.#lastTime = clock();
  }

  get executing(): number {
    return this.#executing;
  }
  get waiting(): number {
    return this.#waiting;
  }
  get seatsInUse(): number {
    return this.#seatsInUse;
  }
  get seatsWaiting(): number {
    return this.#seatsWaiting;
  }
  get limit(): number {
    return this.#limit;
  }
  get currentR(): number {
    return this.#currentR;
  }
  /** The time up to which meter and figures are updated, at least that of the last start or finish. */
  get now(): number {
    return this.#lastTime;
  }
  get isIdle(): boolean {
    return this.#executing === 0 && this.#waiting === 0;
  }

  /** All configured queues, unless there are very many, and any others that are in use, in order. */
  queues(): readonly FairQueue[] {
    const wanted = this.#configuration.queuing?.queues ?? 0;
    const indices = new Set(this.#queues.keys());
    if (wanted <= mostListed) for (let index = 0; index < wanted; index++) indices.add(index);
    return [...indices].sort((a, b) => a - b).map((index) => this.#queues.get(index) ?? new FairQueue(index));
  }

  /** Applies another configuration and limit. Requests in removed queues keep waiting and are served. */
  configure(configuration: QueueSetConfiguration, limit: number, denominator: number): void {
    this.advance();
    this.#configuration = configuration;
    this.#limit = limit;
    this.#denominator = Math.max(1, denominator);
    for (const queue of this.#queues.values()) this.#dropUnlessWanted(queue);
    this.#dispatchAll();
  }

  /** Updates meter and figures to the present. */
  advance(): void {
    const now = this.#clock();
    const elapsed = now - this.#lastTime;
    if (elapsed <= 0) return;
    this.#lastTime = now;
    const wanted = this.#seatsInUse + this.#seatsWaiting;
    if (this.#busyQueues > 0) this.#currentR += (Math.min(wanted, this.#limit) / this.#busyQueues) * elapsed;
    const { queuing } = this.#configuration;
    const room = queuing === undefined ? 1 : queuing.queues * queuing.queueLengthLimit;
    this.demand.add(wanted, elapsed);
    this.demandUtilization.add(wanted / this.#denominator, elapsed);
    this.seatUtilization.add(this.#seatsInUse / this.#denominator, elapsed);
    this.executingUtilization.add(this.#executing / this.#denominator, elapsed);
    this.waitingUtilization.add(this.#waiting / room, elapsed);
  }

  /**
   * Gives the request its seats, or a place in a queue, or neither. For a place in a queue, the caller sets `waiting` to be notified of the
   * dispatch.
   */
  start(request: FlowRequest): StartResult {
    this.advance();
    const { exempt, queuing } = this.#configuration;
    if (queuing === undefined || exempt) {
      if (!this.#fits(request.maxSeats)) return 'concurrency-limit';
      this.#execute(request);
      return 'executing';
    }
    const queue = this.#choose(request.flow.hand);
    if (this.#waiting === 0 && this.#seatsInUse < this.#limit && this.#fits(request.maxSeats)) {
      this.#meet(queue);
      request.queue = queue;
      this.#execute(request);
      return 'executing';
    }
    if (this.#seatsInUse >= this.#limit && queue.waiting.size >= queuing.queueLengthLimit) return 'queue-full';
    this.#enqueue(request, queue);
    this.#dispatchAll();
    return isWaiting(request) ? 'waiting' : 'executing';
  }

  /**
   * Ends a request. Its seats become free at once, or after its `additionalLatency`, and are given to waiting requests. Returns how many
   * milliseconds the request executed; undefined = it was not executing.
   */
  finish(request: FlowRequest): number | undefined {
    if (request.state !== 'executing') return undefined;
    request.state = 'finished';
    this.advance();
    this.#executing--;
    request.flow.counts.executing--;
    const actual = this.#lastTime - request.startedAt;
    const { queue } = request;
    if (queue !== undefined) {
      queue.executing--;
      queue.nextDispatchR -= request.initialSeats * (estimatedDuration - actual);
      bound(queue);
      if (queue.isIdle) this.#busyQueues--;
    }
    if (request.additionalLatency > 0) {
      setTimeout(() => {
        this.advance();
        this.#release(request);
      }, request.additionalLatency).unref();
    } else this.#release(request);
    return actual;
  }

  /** Removes the request from its queue; false = it is not waiting. */
  cancel(request: FlowRequest): boolean {
    if (request.state !== 'waiting') return false;
    this.advance();
    this.#dequeue(request);
    request.state = 'finished';
    const { queue } = request;
    if (queue !== undefined) {
      bound(queue);
      if (queue.isIdle) this.#busyQueues--;
      this.#dropUnlessWanted(queue);
    }
    return true;
  }

  #fits(seats: number): boolean {
    if (this.#configuration.exempt) return true;
    // A request that needs more seats than the level has may run alone; otherwise it would never run.
    if (seats > this.#limit) return this.#executing === 0;
    if (seats === 1 || !this.#leavesNarrow(seats)) return this.#seatsInUse + seats <= this.#limit;
    const passing = Math.min(this.#seatsPassing, this.#narrowSeats);
    return this.#seatsInUse - passing + seats <= this.#limit - this.#narrowSeats;
  }

  /** The seats that are left to requests of one seat. */
  get #narrowSeats(): number {
    return Math.floor(this.#limit * narrowShare);
  }

  #leavesNarrow(seats: number): boolean {
    return seats <= this.#limit - this.#narrowSeats;
  }

  /** Whether a request may run before `next`, which waits for more seats than are free. */
  #mayPass(request: FlowRequest, next: FlowRequest): boolean {
    if (request.maxSeats > 1 || this.#seatsPassing >= this.#narrowSeats) return false;
    return this.#leavesNarrow(next.maxSeats) && this.#fits(1);
  }

  /** The queue of the hand with the least waiting work. Equal queues are chosen round-robin. */
  #choose(hand: readonly number[]): FairQueue {
    const offset = this.#enqueued++ % hand.length;
    if (this.#waiting === 0) return this.#queue(hand[offset] ?? 0);
    let best: FairQueue | undefined;
    for (let i = 0; i < hand.length; i++) {
      const queue = this.#queue(hand[(offset + i) % hand.length] ?? 0);
      if (best === undefined || queue.workWaiting < best.workWaiting) best = queue;
    }
    return best ?? this.#queue(0);
  }

  #queue(index: number): FairQueue {
    let queue = this.#queues.get(index);
    if (queue === undefined) {
      queue = new FairQueue(index);
      this.#queues.set(index, queue);
    }
    return queue;
  }

  /** An idle queue starts at the current R: idle time earns no credit. */
  #meet(queue: FairQueue): void {
    if (!queue.isIdle) return;
    queue.nextDispatchR = this.#currentR;
    this.#busyQueues++;
  }

  #enqueue(request: FlowRequest, queue: FairQueue): void {
    this.#meet(queue);
    request.state = 'waiting';
    request.queue = queue;
    request.arrivalR = this.#currentR;
    queue.waiting.add(request);
    queue.initialSeatsWaiting += request.initialSeats;
    queue.maxSeatsWaiting += request.maxSeats;
    queue.workWaiting += workOf(request);
    this.#nonEmpty.add(queue);
    this.#waiting++;
    this.#seatsWaiting += request.maxSeats;
    const { counts } = request.flow;
    counts.inQueue++;
    counts.seatsInQueue += request.maxSeats;
    counts.queueLengths.observe(queue.waiting.size);
    this.demand.note(this.#seatsInUse + this.#seatsWaiting);
    bound(queue);
  }

  #dequeue(request: FlowRequest): void {
    const { queue } = request;
    if (queue?.waiting.delete(request) !== true) return;
    queue.initialSeatsWaiting -= request.initialSeats;
    queue.maxSeatsWaiting -= request.maxSeats;
    queue.workWaiting = queue.waiting.size === 0 ? 0 : queue.workWaiting - workOf(request);
    if (queue.waiting.size === 0) this.#nonEmpty.delete(queue);
    this.#waiting--;
    this.#seatsWaiting -= request.maxSeats;
    const { counts } = request.flow;
    counts.inQueue--;
    counts.seatsInQueue -= request.maxSeats;
  }

  #execute(request: FlowRequest): void {
    const { queue } = request;
    const seats = request.maxSeats;
    request.state = 'executing';
    request.startedAt = this.#lastTime;
    this.#executing++;
    this.#seatsInUse += seats;
    const { counts } = request.flow;
    counts.executing++;
    counts.executingSeats += seats;
    this.demand.note(this.#seatsInUse + this.#seatsWaiting);
    if (queue === undefined) return;
    queue.executing++;
    queue.seatsInUse += seats;
    queue.nextDispatchR += workOf(request);
  }

  #release(request: FlowRequest): void {
    const seats = request.maxSeats;
    this.#seatsInUse -= seats;
    if (request.isPassing) this.#seatsPassing -= seats;
    request.flow.counts.executingSeats -= seats;
    const { queue } = request;
    if (queue !== undefined) queue.seatsInUse -= seats;
    if (this.#waiting > 0) this.#dispatchAll();
    if (queue !== undefined) this.#dropUnlessWanted(queue);
  }

  #dispatchAll(): void {
    while (this.#waiting > 0 && this.#seatsInUse < this.#limit) {
      const request = this.#next();
      if (request === undefined) return;
      const { queue, waiting } = request;
      this.#dequeue(request);
      this.#execute(request);
      if (queue !== undefined) bound(queue);
      request.waiting = undefined;
      waiting?.onDispatch();
    }
  }

  /** The next request to run; undefined = none of those that may run fits into the free seats. */
  #next(): FlowRequest | undefined {
    const count = Math.max(1, this.#configuration.queuing?.queues ?? 0, this.#lastIndex + 1);
    const last = { index: this.#lastIndex, count };
    const next = firstToFinish(this.#nonEmpty, last);
    if (next === undefined) return undefined;
    if (!this.#fits(next.request.maxSeats)) {
      next.request.flow.counts.noAccommodation++;
      const passing = firstToFinish(this.#nonEmpty, last, (request) => this.#mayPass(request, next.request))?.request;
      if (passing === undefined) return undefined;
      passing.isPassing = true;
      this.#seatsPassing += passing.maxSeats;
      return passing;
    }
    const { request, queue, s } = next;
    this.#lastIndex = queue.index;
    if (request.finalSeats > this.#limit) {
      request.additionalLatency *= request.finalSeats / Math.max(1, this.#limit);
      // The sums of waiting seats include the previous number of seats.
      this.#narrow(request, queue);
    }
    Object.assign(this.lastDispatch, {
      r: this.#currentR,
      s: queue.nextDispatchR,
      sMin: s.min,
      sMax: s.max,
      discountedSMin: s.discountedMin,
      discountedSMax: s.discountedMax,
    });
    return request;
  }

  /** Does the same work on fewer seats for a longer time. */
  #narrow(request: FlowRequest, queue: FairQueue): void {
    const before = request.maxSeats;
    request.finalSeats = Math.max(1, this.#limit);
    const less = before - request.maxSeats;
    queue.maxSeatsWaiting -= less;
    this.#seatsWaiting -= less;
    request.flow.counts.seatsInQueue -= less;
  }

  /** Drops an idle queue when there are very many, or when it is no longer configured. */
  #dropUnlessWanted(queue: FairQueue): void {
    if (this.#queues.size <= mostKept && queue.index < (this.#configuration.queuing?.queues ?? 0)) return;
    if (queue.isIdle && queue.seatsInUse === 0) this.#queues.delete(queue.index);
  }
}

/** Reads the state again, because a call may have changed it since the caller's last check. */
const isWaiting = (request: FlowRequest): boolean => request.state === 'waiting';

/** A queue cannot start its next request before that request arrived: idle time earns no credit. */
function bound(queue: FairQueue): void {
  const { oldest } = queue;
  if (oldest !== undefined && queue.nextDispatchR < oldest.arrivalR) queue.nextDispatchR = oldest.arrivalR;
}
