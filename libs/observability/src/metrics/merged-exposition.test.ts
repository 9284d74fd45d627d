import assert from 'node:assert/strict';
import { mergeExpositions, mergeWorkers } from './merged-exposition.ts';

const exposition = (...lines: string[]): string => `${lines.join('\n')}\n`;

/** The metrics of a server of the same process. */
const behind = (text: string) => ({ text, component: undefined });

describe('metrics of several servers', () => {
  it('add counters and histograms, and take other values from the first server', () => {
    const own = exposition(
      '# HELP requests_total Requests.',
      '# TYPE requests_total counter',
      'requests_total{code="200"} 3',
      '# HELP seconds Durations.',
      '# TYPE seconds histogram',
      'seconds_bucket{le="1"} 2',
      'seconds_bucket{le="+Inf"} 4',
      'seconds_sum 7.5',
      'seconds_count 4',
      '# HELP objects Objects.',
      '# TYPE objects gauge',
      'objects 10',
    );
    const next = exposition(
      '# HELP requests_total Requests.',
      '# TYPE requests_total counter',
      'requests_total{code="200"} 4',
      'requests_total{code="404"} 1',
      '# HELP seconds Durations.',
      '# TYPE seconds histogram',
      'seconds_bucket{le="1"} 1',
      'seconds_bucket{le="+Inf"} 1',
      'seconds_sum 0.5',
      'seconds_count 1',
      '# HELP objects Objects.',
      '# TYPE objects gauge',
      'objects 99',
      '# HELP crds Definitions.',
      '# TYPE crds gauge',
      'crds 2',
    );
    const values = mergeExpositions(own, behind(next))
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    assert.deepEqual(values, [
      'requests_total{code="200"} 7',
      'requests_total{code="404"} 1',
      'seconds_bucket{le="1"} 3',
      'seconds_bucket{le="+Inf"} 5',
      'seconds_sum 8',
      'seconds_count 5',
      'objects 10',
      'crds 2',
    ]);
  });

  it('of the workers of a service are counted together, and name the worker where each has a value of its own', () => {
    const of = (worker: number, count: number) => ({
      worker,
      text: exposition(
        '# HELP requests_total Requests.',
        '# TYPE requests_total counter',
        `requests_total{code="200"} ${count}`,
        '# HELP open Open files.',
        '# TYPE open gauge',
        `open ${count}`,
        `open{kind="a b"} ${count}`,
      ),
    });
    assert.deepEqual(
      mergeWorkers([of(2, 5), of(1, 3)])
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#')),
      [
        'requests_total{code="200"} 8',
        'open{worker="1"} 3',
        'open{kind="a b",worker="1"} 3',
        'open{worker="2"} 5',
        'open{kind="a b",worker="2"} 5',
      ],
    );
  });

  it('describe each metric once', () => {
    const text = exposition('# HELP a Things.', '# TYPE a counter', 'a 1');
    assert.equal(mergeExpositions(text, behind(text)), exposition('# HELP a Things.', '# TYPE a counter', 'a 2'));
  });

  it('keep infinite values, and label values with spaces', () => {
    const text = exposition('# HELP a Things.', '# TYPE a gauge', 'a{b="c d"} +Inf', 'a{b="e"} -Inf', 'a NaN');
    assert.match(mergeExpositions(text, behind('')), /^a\{b="c d"\} \+Inf\na\{b="e"\} -Inf\na Nan$/m);
  });

  it('show each process, and one process once', () => {
    const process = (bytes: number, collections: number) =>
      exposition(
        '# HELP process_resident_memory_bytes Memory.',
        '# TYPE process_resident_memory_bytes gauge',
        `process_resident_memory_bytes ${bytes}`,
        '# HELP nodejs_gc_duration_seconds Collections.',
        '# TYPE nodejs_gc_duration_seconds histogram',
        `nodejs_gc_duration_seconds_count{kind="major"} ${collections}`,
      );
    const last = process(30, 3);
    assert.equal(
      mergeExpositions(process(20, 2), behind(last)),
      `${process(20, 2).replace('\n# HELP nodejs', '\n\n# HELP nodejs')}`,
    );
    const second = mergeExpositions(process(20, 2), { text: last, component: 'apiextensions' });
    const values = mergeExpositions(process(10, 1), { text: second, component: 'kube-core' })
      .split('\n')
      .filter((line) => /^[a-z]/.test(line));
    assert.deepEqual(values, [
      'process_resident_memory_bytes 10',
      'process_resident_memory_bytes{component="kube-core"} 20',
      'process_resident_memory_bytes{component="apiextensions"} 30',
      'nodejs_gc_duration_seconds_count{kind="major"} 1',
      'nodejs_gc_duration_seconds_count{kind="major",component="kube-core"} 2',
      'nodejs_gc_duration_seconds_count{kind="major",component="apiextensions"} 3',
    ]);
  });
});
