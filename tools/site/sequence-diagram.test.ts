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

  it('have participants, messages, replies and notes', () => {
    const svg = sequenceDiagram(source);
    for (const text of ['kubectl', 'aggregator', 'GET /api', 'authorize', '200', 'a &lt;request>'])
      assert.ok(svg.includes(`>${text}<`), text);
    assert.equal(svg.match(/class="arrow reply"/g)?.length, 1);
    assert.equal(svg.match(/marker-end/g)?.length, 3);
  });

  it('are as wide as the lines of their texts need', () => {
    const width = (text: string) => Number(/viewBox="0 0 (\d+)/.exec(sequenceDiagram(text))?.[1]);
    const wide = width(source.replace('GET /api', 'GET-the-api-of-a-cluster'));
    assert.ok(wide > width(source) + 30);
    const path = '/api/v1/namespaces/shop/configmaps/settings';
    assert.ok(width(source.replace('/api', path)) <= wide + 30);
    assert.ok(sequenceDiagram(source.replace('/api', path)).includes('>/shop/configmaps/settings<'));
  });

  it('are refused with the line that is not understood', () => {
    assert.throws(() => sequenceDiagram('sequenceDiagram\nloop every second'), {
      message: 'line 2 of a sequence diagram: loop every second',
    });
    assert.throws(() => sequenceDiagram('participant A\nA->>B: x'), { message: 'line 2: no participant B' });
  });
});
