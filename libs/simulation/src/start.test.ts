import assert from 'node:assert/strict';
import type { Transport } from '@apichain/client';
import { startSimulation, type SimulationOptions } from './start.ts';

describe('startSimulation', () => {
  it('simulates no nodes, not even those of users, if they are left to others', async () => {
    const sent: string[] = [];
    const transport: Transport = {
      send: ({ path }) => {
        sent.push(path);
        return Promise.reject(new Error('there is no server'));
      },
      close: () => Promise.resolve(),
    };
    const stop = new AbortController();
    const options: SimulationOptions = {
      ...{ connect: () => transport, signal: stop.signal, nodes: 'none', scheduler: 'none' },
      log: { info: () => undefined, error: () => undefined },
    };
    const simulation = startSimulation(options);
    await simulation.synced;
    assert.throws(() => simulation.node('a'), /no nodes are simulated here/);
    stop.abort();
    await simulation.stopped;
    assert.deepEqual(sent, []);
  });
});
