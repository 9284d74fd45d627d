import assert from 'node:assert/strict';
import { sequenceDiagram } from './sequence-diagram.ts';

describe('sequence diagrams', () => {
  const source = `sequenceDiagram
    participant C as kubectl
    participant A as aggregator
    Note over C,A: a <request>
    C->>A: GET /api
    A->>A: authorize
    A-->>C: 200`;

  it('have participants, messages, answers and notes', () => {
    const svg = sequenceDiagram(source);
    for (const text of ['kubectl', 'aggregator', 'GET /api', 'authorize', '200', 'a &lt;request>'])
      assert.ok(svg.includes(`>${text}<`), text);
    assert.equal(svg.match(/class="arrow answer"/g)?.length, 1);
    assert.equal(svg.match(/marker-end/g)?.length, 3);
  });

  it('are as wide as their texts need', () => {
    const width = (text: string) => Number(/viewBox="0 0 (\d+)/.exec(sequenceDiagram(text))?.[1]);
    assert.ok(width(source.replace('GET /api', 'GET /api'.repeat(10))) > width(source) + 300);
  });

  it('are refused with the line that is not understood', () => {
    assert.throws(() => sequenceDiagram('sequenceDiagram\nloop every second'), {
      message: 'line 2 of a sequence diagram: loop every second',
    });
    assert.throws(() => sequenceDiagram('participant A\nA->>B: x'), { message: 'line 2: no participant B' });
  });
});
