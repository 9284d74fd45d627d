import type { Queuing } from './configuration.ts';
import { FairQueue } from './fair-queue.ts';
import type { FlowRequest } from './fair-queue.ts';
import { SeatDemand } from './seat-demand.ts';
import { TimingHistogram } from './timing-histogram.ts';

/** What a request is taken to last before it is known, milliseconds. */
const estimatedDuration = 3;

/** So many idle queues are kept for their next request. */
const mostKept = 1024;
const mostListed = 10_000;

const utilizationBounds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const requestBounds = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const demandBounds = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];

/** `exempt` = never wait, never reject. Without `queuing` what finds no seat is rejected. */
export interface QueueSetConfiguration {
  readonly exempt: boolean;
  readonly queuing: Queuing | undefined;
}

export type StartResult = 'executing' | 'waiting' | 'queue-full' | 'concurrency-limit';

const workOf = (request: FlowRequest): number =>
  request.initialSeats * estimatedDuration + request.finalSeats * request.additionalLatency;

/**
 * The seats of one priority level and the requests that wait for them: fair queuing by virtual time, as
 * k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing describes it. The meter R is the work, in seat-milliseconds, that every busy
 * queue has had its fair turn of; the next request is the one that would be finished first by it. While there are free seats a
 * request costs some sums: it is in no list, and nothing is made for it.
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
  /** Those that were ever used, as long as they are not too many. */
  readonly #queues = new Map<number, FairQueue>();
  /** Those in which requests wait. */
  readonly #nonEmpty = new Set<FairQueue>();
  #configuration: QueueSetConfiguration;
  #limit: number;
  #denominator: number;
  #executing = 0;
  #seatsInUse = 0;
  #waiting = 0;
  #seatsWaiting = 0;
  #busyQueues = 0;
  #currentR = 0;
  #lastTime: number;
  #enqueued = 0;
  #lastIndex = 0;

  /** `limit` = seats; `clock` tells milliseconds from any beginning. */
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
  /** The moment up to which meter and figures are: that of the last start or finish, at least. */
  get now(): number {
    return this.#lastTime;
  }
  get isIdle(): boolean {
    return this.#executing === 0 && this.#waiting === 0;
  }

  /** All queues of the configuration, unless they are very many, and any other that is in use; in order. */
  queues(): readonly FairQueue[] {
    const wanted = this.#configuration.queuing?.queues ?? 0;
    const indices = new Set(this.#queues.keys());
    if (wanted <= mostListed) for (let index = 0; index < wanted; index++) indices.add(index);
    return [...indices].sort((a, b) => a - b).map((index) => this.#queues.get(index) ?? new FairQueue(index));
  }

  /** Takes over another configuration and limit. Requests in queues that are no more wait on and are served. */
  configure(configuration: QueueSetConfiguration, limit: number, denominator: number): void {
    this.advance();
    this.#configuration = configuration;
    this.#limit = limit;
    this.#denominator = Math.max(1, denominator);
    for (const queue of this.#queues.values()) this.#dropUnlessWanted(queue);
    this.#dispatchAll();
  }

  /** Brings meter and figures up to this moment. */
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

  /** Gives the request its seats, or a place in a queue (then the caller sets `waiting`, to hear of its turn), or neither. */
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
   * The request has been served. What waits may get its seats, at once or when its `additionalLatency` is over. Returns how many
   * milliseconds it executed; undefined = it did not.
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

  /** Takes the request out of its queue; false = it does not wait any more. */
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
    // What is wider than the whole level may run alone, or it never would.
    if (seats > this.#limit) return this.#executing === 0;
    return this.#seatsInUse + seats <= this.#limit;
  }

  /** The queue of the hand with the least work waiting; they take turns where that is equal. */
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

  /** A queue that was idle begins now: it has saved up nothing. */
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

  /** The oldest request of the queue that would be finished with it first; undefined = there are not seats enough for it. */
  #next(): FlowRequest | undefined {
    let chosen: FlowRequest | undefined;
    let best: FairQueue | undefined;
    let earliest = Infinity;
    const s = { min: Infinity, max: -Infinity, discountedMin: Infinity, discountedMax: -Infinity };
    for (const queue of this.#nonEmpty) {
      const request = queue.oldest;
      if (request === undefined) continue;
      const start = queue.nextDispatchR;
      const discounted = start - queue.seatsInUse * estimatedDuration;
      s.min = Math.min(s.min, start);
      s.max = Math.max(s.max, start);
      s.discountedMin = Math.min(s.discountedMin, discounted);
      s.discountedMax = Math.max(s.discountedMax, discounted);
      const finish = start + workOf(request);
      if (finish > earliest || (finish === earliest && best !== undefined && !this.#isSooner(queue, best))) continue;
      earliest = finish;
      best = queue;
      chosen = request;
    }
    if (chosen === undefined || best === undefined) return undefined;
    if (!this.#fits(chosen.maxSeats)) {
      chosen.flow.counts.noAccommodation++;
      return undefined;
    }
    this.#lastIndex = best.index;
    if (chosen.finalSeats > this.#limit) {
      chosen.additionalLatency *= chosen.finalSeats / Math.max(1, this.#limit);
      // The sums were made with the seats it had.
      this.#narrow(chosen, best);
    }
    Object.assign(this.lastDispatch, {
      r: this.#currentR,
      s: best.nextDispatchR,
      sMin: s.min,
      sMax: s.max,
      discountedSMin: s.discountedMin,
      discountedSMax: s.discountedMax,
    });
    return chosen;
  }

  /** The same work on fewer seats, for longer. */
  #narrow(request: FlowRequest, queue: FairQueue): void {
    const before = request.maxSeats;
    request.finalSeats = Math.max(1, this.#limit);
    const less = before - request.maxSeats;
    queue.maxSeatsWaiting -= less;
    this.#seatsWaiting -= less;
    request.flow.counts.seatsInQueue -= less;
  }

  /** Queues whose next requests are equal take turns, counted from the one that was last. */
  #isSooner(a: FairQueue, b: FairQueue): boolean {
    const turns = Math.max(1, this.#configuration.queuing?.queues ?? 0, this.#lastIndex + 1);
    const distance = ({ index }: FairQueue) => (index - this.#lastIndex - 1 + turns) % turns;
    return distance(a) < distance(b);
  }

  /** An idle queue is forgotten when it is one of very many, or none of the configuration any more. */
  #dropUnlessWanted(queue: FairQueue): void {
    if (this.#queues.size <= mostKept && queue.index < (this.#configuration.queuing?.queues ?? 0)) return;
    if (queue.isIdle && queue.seatsInUse === 0) this.#queues.delete(queue.index);
  }
}

/** A call may have changed the state that its caller has looked at. */
const isWaiting = (request: FlowRequest): boolean => request.state === 'waiting';

/** A queue cannot start its next request before that had arrived: nothing is saved up by being idle. */
function bound(queue: FairQueue): void {
  const { oldest } = queue;
  if (oldest !== undefined && queue.nextDispatchR < oldest.arrivalR) queue.nextDispatchR = oldest.arrivalR;
}
