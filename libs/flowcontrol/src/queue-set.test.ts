import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FlowRequest } from './fair-queue.ts';
import { begin, flowOf, levelOf, TestClock } from './flow-control.fixture.ts';

describe('QueueSet', () => {
  it('dispatches to free seats, then queues requests, then rejects', () => {
    const level = levelOf(2, new TestClock(), { queuing: { queues: 4, handSize: 1, queueLengthLimit: 1 } });
    const flow = flowOf(level, 'a', [0]);
    const [first, second, third, fourth] = [begin(flow), begin(flow), begin(flow), begin(flow)];
    assert.deepEqual(
      [first, second, third, fourth].map(({ state }) => state),
      ['executing', 'executing', 'waiting', 'new'],
    );
    level.queues.finish(first);
    assert.equal(third.state, 'executing');
    assert.equal(begin(flowOf(level, 'b', [1])).state, 'waiting');
  });

  it('rejects without queues, except exempt requests', () => {
    const clock = new TestClock();
    const level = levelOf(1, clock, { queuing: undefined });
    const flow = flowOf(level, '', []);
    begin(flow);
    assert.equal(level.queues.start(begin(flow)), 'concurrency-limit');
    const exempt = levelOf(0, clock, { exempt: true, queuing: undefined });
    for (let i = 0; i < 10; i++) assert.equal(begin(flowOf(exempt, '', [])).state, 'executing');
  });

  it('runs a request that is wider than the level alone', () => {
    const level = levelOf(4, new TestClock());
    const narrow = begin(flowOf(level, 'a', [0]));
    const wide = begin(flowOf(level, 'b', [1]), 10);
    assert.equal(wide.state, 'waiting');
    level.queues.finish(narrow);
    assert.equal(wide.state, 'executing');
    assert.equal(begin(flowOf(level, 'c', [2])).state, 'waiting');
  });

  it('prefers a flow with little work to one with much', () => {
    const clock = new TestClock();
    const level = levelOf(1, clock);
    const order: string[] = [];
    const running: FlowRequest[] = [begin(flowOf(level, 'first', [7]))];
    const arrive = (name: string, queue: number) => {
      const request: FlowRequest = begin(flowOf(level, name, [queue]), 1, () => {
        order.push(name);
        running.push(request);
      });
    };
    for (let i = 0; i < 20; i++) arrive('busy', 0);
    arrive('modest', 1);
    for (let i = 0; i < 4; i++) {
      clock.now += 3;
      const [request] = running.splice(0);
      if (request !== undefined) level.queues.finish(request);
    }
    assert.ok(order.indexOf('modest') >= 0 && order.indexOf('modest') <= 1, order.join());
  });

  it('lets a request of one seat pass wide ones that wait, whatever its queue', () => {
    const clock = new TestClock();
    const level = levelOf(40, clock);
    const wide = Array.from({ length: 24 }, (_, i) => begin(flowOf(level, 'lists', [i % 6]), 10));
    assert.equal(wide.filter(({ state }) => state === 'executing').length, 3, 'a tenth of the seats is left');
    for (let i = 0; i < 100; i++) {
      clock.now += 50;
      const narrow = begin(flowOf(level, 'gets', [7]));
      assert.equal(narrow.state, 'executing');
      level.queues.finish(narrow);
    }
    const passing = Array.from({ length: 11 }, () => begin(flowOf(level, 'gets', [7])));
    assert.equal(passing.filter(({ state }) => state === 'executing').length, 4, 'no more than that tenth');
  });

  it('does not starve a wide request beside any number of requests of one seat', () => {
    const clock = new TestClock();
    const level = levelOf(20, clock);
    const running: FlowRequest[] = [];
    const narrow = () => {
      const request: FlowRequest = begin(flowOf(level, 'gets', [7]), 1, () => running.push(request));
      if (request.state === 'executing') running.push(request);
    };
    for (let i = 0; i < 60; i++) narrow();
    const wide = begin(flowOf(level, 'lists', [0]), 10);
    let finished = 0;
    for (; wide.state === 'waiting' && finished < 1_000; finished++) {
      clock.now += 3;
      const request = running.shift();
      if (request !== undefined) level.queues.finish(request);
      narrow();
    }
    assert.ok(finished < 60, `it waited for ${String(finished)} requests`);
  });

  it('holds the seats of watch events for some time after the response', async () => {
    const level = levelOf(3, new TestClock());
    const flow = flowOf(level, 'a', [0]);
    const request = begin(flow);
    level.queues.finish(request);
    assert.equal(level.queues.seatsInUse, 0);
    const write = begin(flow, 1);
    Object.assign(write, { finalSeats: 1, additionalLatency: 20 });
    level.queues.finish(write);
    assert.equal(level.queues.seatsInUse, 1);
    assert.equal(level.queues.executing, 0);
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.equal(level.queues.seatsInUse, 0);
  });

  it('serves waiting requests of removed queues', () => {
    const level = levelOf(1, new TestClock());
    const running = begin(flowOf(level, 'a', [0]));
    const waiting = begin(flowOf(level, 'b', [7]));
    level.queues.configure({ exempt: false, queuing: { queues: 2, handSize: 1, queueLengthLimit: 5 } }, 1, 1);
    assert.equal(level.queues.queues().length, 3);
    level.queues.finish(running);
    assert.equal(waiting.state, 'executing');
    level.queues.finish(waiting);
    assert.equal(level.queues.queues().length, 2);
  });

  const step = fc.oneof(
    fc.record({ kind: fc.constant('arrive'), flow: fc.nat(4), seats: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('finish'), which: fc.nat() }),
    fc.record({ kind: fc.constant('leave'), which: fc.nat() }),
    fc.record({ kind: fc.constant('time'), ms: fc.nat(50) }),
  );

  it('never exceeds the seats, loses no request and releases every seat', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 30 }), fc.array(step, { maxLength: 200 }), (limit, steps) => {
        const clock = new TestClock();
        const level = levelOf(limit, clock, { queuing: { queues: 6, handSize: 3, queueLengthLimit: 5 } });
        const hands = [
          [0, 1, 2],
          [1, 2, 3],
          [2, 3, 4],
          [3, 4, 5],
          [5, 0, 2],
        ];
        const flows = hands.map((hand, i) => flowOf(level, String(i), hand));
        const requests: FlowRequest[] = [];
        const inState = (state: string) => requests.filter((request) => request.state === state);
        const check = () => {
          const executing = inState('executing');
          assert.ok(level.queues.seatsInUse <= limit);
          assert.equal(
            level.queues.seatsInUse,
            executing.reduce((sum, { maxSeats }) => sum + maxSeats, 0),
          );
          assert.equal(level.queues.executing, executing.length);
          assert.equal(level.queues.waiting, inState('waiting').length);
          // Seats stay free only when the first waiting request needs more seats than are left to it.
          if (level.queues.waiting > 0) assert.ok(limit - level.queues.seatsInUse < 4 + Math.floor(limit / 10));
        };
        for (const event of steps) {
          if (event.kind === 'arrive') {
            const flow = flows[event.flow];
            if (flow !== undefined) requests.push(begin(flow, event.seats));
          } else if (event.kind === 'finish') {
            const executing = inState('executing');
            const request = executing[event.which % executing.length];
            if (request !== undefined) level.queues.finish(request);
          } else if (event.kind === 'leave') {
            const waiting = inState('waiting');
            const request = waiting[event.which % waiting.length];
            if (request !== undefined) level.queues.cancel(request);
          } else clock.now += event.ms;
          check();
        }
        for (let rounds = 0; inState('executing').length > 0 && rounds < 1000; rounds++) {
          clock.now += 1;
          for (const request of inState('executing')) level.queues.finish(request);
          check();
        }
        assert.ok(level.queues.isIdle);
        assert.equal(level.queues.seatsInUse, 0);
        assert.equal(level.queues.seatsWaiting, 0);
        assert.ok(level.queues.queues().every((queue) => queue.seatsInUse === 0 && queue.workWaiting === 0));
      }),
      { numRuns: 200 },
    );
  });

  it('starves no flow: a flow with one waiting request gets its share beside busy flows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
        (seats, greedy, durations) => {
          const clock = new TestClock();
          const level = levelOf(seats, clock, { queuing: { queues: 8, handSize: 1, queueLengthLimit: 1000 } });
          const running: FlowRequest[] = [];
          const served = { modest: 0, greedy: 0 };
          const ask = (kind: 'modest' | 'greedy', queue: number) => {
            const request = begin(flowOf(level, `${kind}${queue}`, [queue]), 1, () => {
              served[kind]++;
              running.push(request);
              if (kind === 'modest') later.push(() => ask('modest', 0));
            });
            if (request.state === 'executing') {
              served[kind]++;
              running.push(request);
              if (kind === 'modest') later.push(() => ask('modest', 0));
            }
          };
          const later: (() => void)[] = [];
          for (let queue = 1; queue <= greedy; queue++) for (let i = 0; i < 100; i++) ask('greedy', queue);
          ask('modest', 0);
          for (let turn = 0; turn < 60; turn++) {
            clock.now += durations[turn % durations.length] ?? 1;
            const request = running.shift();
            if (request !== undefined) level.queues.finish(request);
            for (const next of later.splice(0)) next();
          }
          const total = served.modest + served.greedy;
          // The fair share of one of greedy + 1 flows, less what is lost at the start.
          assert.ok(served.modest >= Math.floor(total / (greedy + 1) / 2) - seats, JSON.stringify({ served, greedy }));
          assert.ok(served.modest > 0);
        },
      ),
      { numRuns: 100 },
    );
  });
});
