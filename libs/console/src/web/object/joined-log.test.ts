import assert from 'node:assert/strict';
import { JoinedLog } from './joined-log.ts';

describe('a log of several pods', () => {
  const time = (second: number) => `2030-01-01T00:00:0${second}.000000000Z`;
  const [a, b] = [
    { pod: 'a', container: 'main' },
    { pod: 'b', container: 'main' },
  ] as const;
  let log: JoinedLog;
  beforeEach(() => {
    log = new JoinedLog();
  });

  it('has the lines in the order of their times, each with its pod', () => {
    log.begin(a);
    log.begin(b);
    log.take(a, `${time(1)} one`, 'a');
    log.take(a, `${time(3)} three`, 'a');
    log.take(b, `${time(2)} two and more`, 'b');
    log.take(b, time(4), 'b');
    assert.deepEqual(log.lines, ['a  one', 'b  two and more', 'a  three', 'b  ']);
  });

  it('goes on where it was when it is read again, and repeats nothing', () => {
    assert.equal(log.begin(a), 'container=main&follow=true&timestamps=true&tailLines=200');
    const lines = [`${time(1)} x`, `${time(2)} same`, `${time(2)} same`];
    for (const line of lines) log.take(a, line, 'a');
    const query = new URLSearchParams(log.begin(a));
    assert.deepEqual([query.get('sinceTime'), query.get('tailLines')], ['2030-01-01T00:00:02Z', null]);
    for (const line of [...lines, `${time(2)} new`, `${time(3)} later`]) log.take(a, line, 'a');
    assert.deepEqual(log.lines, ['a  x', 'a  same', 'a  same', 'a  new', 'a  later']);
  });

  it('is bounded', () => {
    log.begin(a);
    for (let at = 0; at < 25_000; at++) log.take(a, `${time(1)} ${at}`, 'a');
    assert.ok(log.lines.length < 10_000);
    assert.equal(log.lines.at(-1), 'a  24999');
  });
});
