import assert from 'node:assert/strict';
import { pathOf, timeOf } from './path-parts.ts';
import type { ServiceTime } from './requests.ts';

const part = (name: string, start: number, milliseconds: number) => ({ name, start, milliseconds });
const services: readonly ServiceTime[] = [
  {
    ...{ service: 'aggregator', start: 0, milliseconds: 8.4 },
    parts: [part('authentication', 0.1, 0.2), part('authorization', 0.3, 0.1)],
  },
  {
    ...{ service: 'kube-core', start: 0.6, milliseconds: 2.2 },
    parts: [
      part('authentication', 0.6, 0.1),
      part('mutating-admission', 1, 0.4),
      part('mutating-webhook', 1.1, 0.2),
      part('validating-admission', 1.6, 0.1),
      part('etcd', 1.8, 0.5),
      part('serialize-response-object', 2.5, 0.1),
    ],
  },
];

describe('the parts of a request', () => {
  const path = pathOf({ services });

  it('leave no time out', () => {
    for (const [at, { start, milliseconds, parts }] of path.entries()) {
      const next = services[at + 1];
      const spans = [...parts, ...(next === undefined ? [] : [next])].sort((a, b) => a.start - b.start);
      let covered = start;
      for (const span of spans) {
        assert.ok(span.start <= covered + 0.005, `nothing from ${covered} to ${span.start}`);
        covered = Math.max(covered, span.start + span.milliseconds);
      }
      assert.ok(Math.abs(covered - start - milliseconds) < 0.005, `it ends at ${covered}`);
    }
  });

  it('have names also where nothing was measured', () => {
    const titles = path.map(({ parts }) => parts.map(({ title }) => title));
    assert.deepEqual(titles, [
      [
        ...['filters and routing', 'authentication', 'authorization', 'sending it to kube-core'],
        'passing the response of kube-core on',
      ],
      [
        ...['authentication', 'decoding and defaults', 'mutating admission', 'mutating webhook', 'validation'],
        ...['validating admission', 'encoding for etcd', 'etcd', 'making the response', 'text of the response'],
        'sending the response',
      ],
    ]);
  });

  it('count once where they overlap', () => {
    const [aggregator, core] = path;
    assert.ok(aggregator !== undefined && core !== undefined);
    assert.equal(timeOf(core, 'admission').toFixed(3), '0.500');
    assert.equal(timeOf(aggregator, 'rest').toFixed(3), '5.900');
  });

  it('of a service that has measured nothing are its handling', () => {
    const [only] = pathOf({ services: [{ service: 'v1.metrics', start: 1, milliseconds: 2, parts: [] }] });
    assert.deepEqual(only?.parts, [{ name: 'rest', stage: 'rest', title: 'handling', start: 1, milliseconds: 2 }]);
  });
});
