import assert from 'node:assert/strict';
import { Life, podOf } from '../pods/life.fixture.ts';
import { nodeUsage, podUsage, usageQuantities } from './api.ts';

const requests = { cpu: '250m', memory: '64Mi' };
const containers = [
  { name: 'main', image: 'a', resources: { requests } },
  { name: 'small', image: 'b' },
];
const running = (annotations = {}) => new Life(podOf({ containers }, annotations)).until(0).pod;
const shown = (pod: ReturnType<typeof running>) =>
  podUsage(pod).map(({ name, usage }) => [name, usageQuantities(usage)]);

describe('the usage of simulated pods and nodes', () => {
  it('is what containers request', () => {
    assert.deepEqual(shown(running()), [
      ['main', { cpu: '250000000n', memory: '65536Ki' }],
      ['small', { cpu: '1000000n', memory: '8192Ki' }],
    ]);
  });

  it('is what annotations say', () => {
    assert.deepEqual(shown(running({ cpu: '2', 'memory.small': '1Gi' })), [
      ['main', { cpu: '2000000000n', memory: '65536Ki' }],
      ['small', { cpu: '2000000000n', memory: '1048576Ki' }],
    ]);
  });

  it('is nothing for containers that do not run', () => {
    assert.deepEqual(podUsage(podOf()), []);
  });

  it('of a node is the sum of its pods and something for itself', () => {
    const { cpu, memory } = nodeUsage([running(), running()]);
    assert.equal(cpu.toFixed(3), '0.602');
    assert.equal(memory, (256 + 2 * (64 + 8)) * 2 ** 20);
  });
});
