import assert from 'node:assert/strict';
import { newResourceExpired } from '../status.ts';
import { ReconnectBackoff } from './reconnect-backoff.ts';
import { HistoryLostError, reflect, type ReflectorOptions, type ReflectorState } from './reflector.ts';

/** Follows a source whose lists and watches succeed, or fail with an error, in this order. The signal aborts when there is no further result. */
async function follow(results: readonly (Error | undefined)[], resumesAfter?: ReflectorOptions['resumesAfter']) {
  const remaining = [...results];
  const stop = new AbortController();
  const calls: string[] = [];
  const call = async (name: string) => {
    calls.push(name);
    if (remaining.length === 0) stop.abort();
    const error = remaining.shift();
    if (error !== undefined) throw error;
  };
  const states: ReflectorState[] = [];
  const failures: unknown[] = [];
  const slept: number[] = [];
  const options = {
    list: () => call('list'),
    watch: () => call('watch'),
    resumesAfter,
    onState: (state: ReflectorState) => states.push(state),
    onFailure: (error: unknown) => failures.push(error),
    backoff: new ReconnectBackoff({ random: () => 0 }),
    sleep: async (milliseconds: number) => void slept.push(milliseconds),
  };
  await reflect(options, stop.signal);
  return { calls: calls.join(' '), states, failures, slept };
}

const reset = new Error('connection reset');
const [listing, watching] = [{ phase: 'Listing' }, { phase: 'Watching' }];

describe('reflect', () => {
  it('lists, watches, and resumes a watch that ended', async () => {
    const { calls, states, failures } = await follow([undefined, undefined]);
    assert.equal(calls, 'list watch watch');
    const backoff = { phase: 'Backoff', end: { reason: 'WatchEnded' }, next: 'Watching' };
    assert.deepEqual(states, [listing, watching, backoff, watching]);
    assert.deepEqual(failures, []);
  });

  it('lists again after a list that failed, and tells the failure, even that a page has expired', async () => {
    const expired = newResourceExpired('the token is too old');
    const { states, failures } = await follow([reset, expired]);
    const backoff = (error: Error) => ({ phase: 'Backoff', end: { reason: 'ListFailed', error }, next: 'Listing' });
    assert.deepEqual(states, [listing, backoff(reset), listing, backoff(expired), listing]);
    assert.deepEqual(failures, [reset, expired]);
  });

  it('resumes after a watch that failed, and tells the failure', async () => {
    const { calls, states, failures } = await follow([undefined, reset]);
    assert.equal(calls, 'list watch watch');
    assert.deepEqual(states[2], { phase: 'Backoff', end: { reason: 'WatchFailed', error: reset }, next: 'Watching' });
    assert.deepEqual(failures, [reset]);
  });

  for (const error of [new HistoryLostError('compacted'), newResourceExpired('too old resource version')])
    it(`lists again when history is lost, which is no failure: ${error.name}`, async () => {
      const { calls, states, failures } = await follow([undefined, error], () => true);
      assert.equal(calls, 'list watch list');
      assert.deepEqual(states[2], { phase: 'Backoff', end: { reason: 'HistoryLost', error }, next: 'Listing' });
      assert.deepEqual(failures, []);
    });

  it('lists again after the ends of watches that are not resumed', async () => {
    const results = [undefined, reset, new Error('cannot be read'), undefined, undefined];
    const { calls, failures } = await follow(results, ({ error }) => error === reset);
    assert.equal(calls, 'list watch watch list watch list');
    assert.equal(failures.length, 2);
  });

  it('waits longer each time', async () => {
    const { slept } = await follow([reset, undefined, undefined, new HistoryLostError('compacted'), reset]);
    assert.deepEqual(slept, [100, 200, 400, 800]);
  });

  it('does nothing after its signal aborts, and tells no failure', async () => {
    const stop = new AbortController();
    let lists = 0;
    const list = () => {
      lists++;
      stop.abort();
      return Promise.reject(reset);
    };
    const options = { list, watch: () => assert.fail('watched'), onFailure: () => assert.fail('told') };
    await reflect(options, stop.signal);
    await reflect(options, stop.signal);
    assert.equal(lists, 1);
  });
});
