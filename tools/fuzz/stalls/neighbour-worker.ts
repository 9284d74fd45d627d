import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Target } from '../target.ts';
import type { NeighbourOptions } from './neighbour.ts';

const pauseMs = 2;
const { target: options, paths } = workerData as NeighbourOptions;

let longest = 0;
let failed = 0;
let answered = 0;
const underWay = new Map<string, number>();

async function ask(target: Target, path: string): Promise<void> {
  const start = performance.now();
  underWay.set(path, start);
  const outcome = await target.send({ method: 'GET', path, query: [], headers: {} });
  underWay.delete(path);
  if (outcome.kind === 'answered' && outcome.status < 500) answered++;
  else failed++;
  longest = Math.max(longest, performance.now() - start);
}

for (const path of paths) {
  void (async () => {
    for (const target = new Target(options); ; await sleep(pauseMs)) await ask(target, path);
  })();
}

parentPort?.on('message', (message) => {
  if (message === 'begin') {
    longest = failed = answered = 0;
    const now = performance.now();
    for (const path of underWay.keys()) underWay.set(path, now);
    parentPort?.postMessage('begun');
    return;
  }
  const now = performance.now();
  for (const start of underWay.values()) longest = Math.max(longest, now - start);
  parentPort?.postMessage({ longest, failed, answered });
});
