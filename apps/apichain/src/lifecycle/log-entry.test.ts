import assert from 'node:assert/strict';
import { Lines, logEntry } from './log-entry.ts';
import { formatLogLine, parseLogLine } from './log-line.ts';
import { formatRequest, requestOf } from './request-line.ts';

const now = 1_700_000_000_000;
const entryOf = (line: string) => JSON.parse(logEntry(line, 'etcd', now)) as Record<string, unknown>;

describe('lines of log files', () => {
  it('have one form, whatever a process prints', () => {
    const own = '{"level":30,"time":5,"pid":1,"name":"kube-core","msg":"a"}';
    assert.equal(logEntry(own, 'etcd', now), own);
    assert.deepEqual(
      entryOf('{"level":"warn","ts":"2026-01-02T03:04:05.006Z","caller":"x","msg":"slow","took":"1s"}'),
      {
        level: 40,
        time: Date.parse('2026-01-02T03:04:05.006Z'),
        name: 'etcd',
        caller: 'x',
        took: '1s',
        msg: 'slow',
      },
    );
    for (const text of ['panic: no', '{"cut', '[1]', '{"level":30,"time":5,"msg":"c'])
      assert.deepEqual(entryOf(text), { level: 30, time: now, name: 'etcd', msg: text });
    assert.deepEqual(entryOf('{"level":"error","time":"noon","msg":"a"}'), {
      level: 50,
      time: now,
      name: 'etcd',
      msg: 'a',
    });
    assert.deepEqual(entryOf('{"level":"odd","ts":"odd"}'), { level: 30, time: now, name: 'etcd' });
  });

  it('are found in what arrives in pieces', () => {
    const lines = new Lines();
    const bytes = Buffer.from('one\n\nzw\u00f6lf\nrest');
    assert.deepEqual(lines.add(bytes.subarray(0, 8)), ['one']);
    assert.deepEqual(lines.add(bytes.subarray(8)), ['zw\u00f6lf']);
    assert.equal(lines.end(), 'rest');
    assert.equal(lines.end(), '');
    assert.equal(lines.add(Buffer.alloc(3 << 20, 'x')).join('').length, 3 << 20);
  });
});

describe('lines of requests', () => {
  const time = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
  const request = {
    receivedAt: time,
    milliseconds: 12.345,
    user: 'jane',
    userAgent: 'kubectl',
    verb: 'create',
    uri: '/api/v1/namespaces/default/configmaps',
    code: 201,
    answeredBy: 'kube-core',
    services: [],
  };
  const entry = { level: 30, time: time + 13, name: 'aggregator', msg: 'request', request };

  it('say when, with which result, how long, by which service, what, who and where', () => {
    assert.equal(
      formatRequest(request, false),
      '03:04:05.006  201      12 ms  kube-core      create  jane              /api/v1/namespaces/default/configmaps',
    );
    assert.match(
      formatRequest({ ...request, code: 404, milliseconds: 1.26 }, true),
      /\u001b\[33m404\u001b\[39m {5}1\.3 ms/,
    );
    assert.match(formatRequest({ ...request, code: 0, milliseconds: 61_000 }, false), / --- {7}61 s /);
    const watch = { ...request, verb: 'watch', code: 200 };
    assert.match(
      formatRequest({ ...watch, isOpen: true }, false),
      /^03:04:05\.006 {2}200 {7}open {2}kube-core {6}watch /,
    );
    assert.match(
      formatRequest({ ...watch, isOpen: false, milliseconds: 61_000 }, false),
      /^03:05:06\.006 {2}200 {7}61 s {2}kube-core {6}watch /,
    );
    const hostile = formatRequest({ ...request, user: '\u001b]0;x\u0007', uri: '/a\nb' }, false);
    assert.match(hostile, /\?\]0;x\? {10} {2}\/a\?b$/);
  });

  it('are found among the entries of a log', () => {
    assert.deepEqual(requestOf(entry), request);
    for (const other of [
      undefined,
      { msg: 'request' },
      { ...entry, msg: 'other' },
      { ...entry, request: { code: 1 } },
      { ...entry, request: { ...request, isOpen: 1 } },
    ])
      assert.equal(requestOf(other), undefined);
    const line = formatLogLine(parseLogLine(JSON.stringify(entry), 'aggregator'), 10, false);
    assert.match(line, /^03:04:05\.019 INFO {2}aggregator 201 {6}12 ms {2}kube-core/);
  });
});
