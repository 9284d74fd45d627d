import assert from 'node:assert/strict';
import { CoreEvents } from './core-events.ts';
import type { Occurrence } from './occurrence.ts';

const occurrence = (message: string, time = 0): Occurrence => ({
  time,
  regarding: { kind: 'ReplicaSet', apiVersion: 'apps/v1', namespace: 'default', name: 'web', uid: 'u' },
  type: 'Normal',
  reason: 'SuccessfulCreate',
  message,
  action: undefined,
  related: undefined,
});

describe('CoreEvents', () => {
  const newEvents = () => new CoreEvents({ component: 'replicaset-controller', instance: '' });

  it('creates an Event for the first occurrence', () => {
    const write = newEvents().take(occurrence('Created pod: web-1', 1_000));
    assert.ok(write);
    assert.equal(write.namespace, 'default');
    assert.equal(write.patch, undefined);
    const { metadata, ...rest } = write.event;
    assert.match(metadata.name ?? '', /^web\.[0-9a-f]+$/);
    assert.deepEqual(rest, {
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject: occurrence('').regarding,
      reason: 'SuccessfulCreate',
      message: 'Created pod: web-1',
      source: { component: 'replicaset-controller' },
      firstTimestamp: '1970-01-01T00:00:01Z',
      lastTimestamp: '1970-01-01T00:00:01Z',
      count: 1,
      type: 'Normal',
      reportingComponent: 'replicaset-controller',
      reportingInstance: '',
    });
  });

  it('counts the same occurrence in its Event', () => {
    const events = newEvents();
    const first = events.take(occurrence('m', 1_000));
    const second = events.take(occurrence('m', 61_000));
    assert.deepEqual(second?.patch, {
      name: first?.event.metadata.name,
      body: { count: 2, lastTimestamp: '1970-01-01T00:01:01Z', message: 'm' },
    });
    assert.equal(second.event['firstTimestamp'], '1970-01-01T00:00:01Z');
  });

  it('combines the tenth and later messages for one reason', () => {
    const events = newEvents();
    const writes = Array.from({ length: 12 }, (_, i) => events.take(occurrence(`m${i}`)));
    assert.deepEqual(
      writes.map((write) => write?.event['message']),
      [
        ...Array.from({ length: 9 }, (_, i) => `m${i}`),
        '(combined from similar events): m9',
        '(combined from similar events): m10',
        '(combined from similar events): m11',
      ],
    );
    assert.equal(writes[9]?.patch, undefined);
    assert.equal(writes[11]?.patch?.body['count'], 3);
    assert.equal(events.take(occurrence('m20', 700_000))?.event['message'], 'm20');
  });

  it('stops after 25 events about an object, and has one more after five minutes', () => {
    const events = newEvents();
    const written = (n: number, time: number) =>
      Array.from({ length: n }, () => events.take(occurrence('m', time))).filter((write) => write !== undefined).length;
    assert.equal(written(30, 0), 25);
    assert.equal(written(30, 299_000), 0);
    assert.equal(written(30, 300_000), 1);
  });
});
