import assert from 'node:assert/strict';
import { call } from '../call.fixture.ts';
import { startChain } from '../start-chain.ts';
import { type TestChain } from '../test-chain.ts';

const hourMs = 3_600_000;
const namespaced = (resource: string) => `/api/v1/namespaces/default/${resource}`;
const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'happened' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'a' },
};

async function createdAt(chain: TestChain, name: string): Promise<number> {
  const { status, json } = await call(chain, namespaced('configmaps'), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
  });
  assert.equal(status, 201);
  const { creationTimestamp, managedFields } = json['metadata'] as {
    creationTimestamp: string;
    managedFields?: { time: string }[];
  };
  for (const { time } of managedFields ?? []) assert.equal(time, creationTimestamp);
  return Date.parse(creationTimestamp);
}

describe('clock', () => {
  it('moves the time of one chain', async () => {
    await using chain = await startChain();
    await using other = await startChain();
    const near = (time: number, expected: number) => assert.ok(Math.abs(time - expected) < 20_000, `${time}`);
    near(await createdAt(chain, 'now'), Date.now());
    await chain.clock.advance(2 * hourMs);
    near(await createdAt(chain, 'later'), Date.now() + 2 * hourMs);
    near(await createdAt(other, 'elsewhere'), Date.now());
    await chain.clock.set(new Date('2031-02-03T04:05:06Z'));
    near(await createdAt(chain, 'then'), Date.parse('2031-02-03T04:05:06Z'));
    await chain.clock.reset();
    near(await createdAt(chain, 'again'), Date.now());
    await assert.rejects(chain.clock.set(new Date('never')), RangeError);
  });

  it('expires objects with a ttl', async () => {
    await using chain = await startChain();
    assert.equal((await call(chain, namespaced('events'), event)).status, 201);
    await chain.clock.advance(hourMs / 2);
    assert.equal((await call(chain, namespaced('events/happened'))).status, 200);
    await chain.clock.advance(hourMs);
    assert.equal((await call(chain, namespaced('events/happened'))).status, 404);
    // A lease that was granted before the jump is not reused.
    assert.equal((await call(chain, namespaced('events'), event)).status, 201);
    await chain.clock.advance(hourMs / 2);
    assert.equal((await call(chain, namespaced('events/happened'))).status, 200);
  });
});
