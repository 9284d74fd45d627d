/**
 * Measures simulated nodes with a chain in this process: how many pods a second become ready, how much processor time is used when nothing changes, and
 * how much memory. Pods name their node: no scheduler and no controller takes part.
 *
 *   node tools/bench/simulated-nodes.ts [--nodes 1000] [--pods 10000] [--idle SECONDS]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pod } from '@apichain/api/core/v1';
import { startInProcessChain } from '@apichain/chain';
import { certificateFlags, ensurePki } from '@apichain/chain/setup';
import { RestClient, SharedInformers } from '@apichain/client';
import { startEmbeddedEtcd } from '@apichain/embedded-etcd';
import { createLogger } from '@apichain/request';
import { impersonating, startSimulatedNodes } from '@apichain/simulated-nodes';
import { flags } from '../command/command.ts';
import { repeat } from '../servers/parallel.ts';

const values = flags({
  nodes: { type: 'string', default: '1000' },
  pods: { type: 'string', default: '10000' },
  idle: { type: 'string', default: '30' },
})(process.argv.slice(2));
const [nodeCount, podCount, idleSeconds] = [Number(values.nodes), Number(values.pods), Number(values.idle)];
/** How many pods are created at a time. */
const creators = 16;

const directory = mkdtempSync(join(tmpdir(), 'apichain-bench-nodes-'));
await ensurePki({ directory, hosts: [], services: ['aggregator'], inThisProcess: true });
const etcd = await startEmbeddedEtcd({ memory: true, inProcess: true });
const chain = await startInProcessChain({
  flags: [
    `--etcd-servers=${etcd.url}`,
    '--secure-port=0',
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    ...certificateFlags(directory),
  ],
  logger: (service) => createLogger(service, 0, { write: () => undefined }),
  onFatal: (error) => {
    throw error;
  },
});
await chain.ready();
const transport = chain.connect('bench');
const client = new RestClient(transport);
const stop = new AbortController();
const memory = () => Math.round(process.memoryUsage().rss / (1 << 20));
/** Processor seconds. */
const processor = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const report = (what: string, figure: number, unit: string) =>
  console.log(`${what.padEnd(48)} ${figure.toFixed(2).padStart(10)} ${unit}`);

report('memory of the chain', memory(), 'MiB');
let began = performance.now();
const informers = new SharedInformers({
  client,
  onError: (_resource, error) => {
    throw error;
  },
});
const simulated = startSimulatedNodes({
  client,
  informers,
  connectAs: impersonating(transport),
  signal: stop.signal,
  nodes: nodeCount,
  log: { info: console.log, error: console.error },
});
await simulated.synced;
report('nodes registered per second', nodeCount / ((performance.now() - began) / 1_000), '');
report(`memory with ${nodeCount} nodes`, memory(), 'MiB');

const podsRef = { group: '', version: 'v1', resource: 'pods', namespace: 'default' } as const;
let ready = 0;
const allReady = Promise.withResolvers<void>();
const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
informers.informer<Pod>({ group: '', version: 'v1', resource: 'pods' }).addHandlers({
  onUpdate: (pod, old) => {
    if (isReady(pod) && !isReady(old) && ++ready === podCount) allReady.resolve();
  },
});
began = performance.now();
let used = processor();
const create = (index: number) =>
  client.create<Pod>(podsRef, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${index}`, labels: { app: `app-${index % 100}` } },
    spec: {
      nodeName: `node-${(index % nodeCount) + 1}`,
      containers: [{ name: 'main', image: 'nginx:1.27', resources: { requests: { cpu: '10m', memory: '16Mi' } } }],
    },
  });
await createAccount();
await repeat(podCount, create, creators);
report('pods created per second', podCount / ((performance.now() - began) / 1_000), '');
await allReady.promise;
const seconds = (performance.now() - began) / 1_000;
report('pods per second from creation to ready', podCount / seconds, '');
report('cores used meanwhile', (processor() - used) / seconds, '');
report(`memory with ${podCount} pods`, memory(), 'MiB');

// What is still queued, such as events, is written before the idle time begins. Leases are renewed all the time, one in ten seconds for each node.
let before = 0;
do {
  before = etcd.revision;
  await sleep(2_000);
} while (etcd.revision - before > (nodeCount / 10) * 2 * 1.5 + 10);
used = processor();
began = performance.now();
await sleep(idleSeconds * 1_000);
report('cores used when nothing changes', (processor() - used) / ((performance.now() - began) / 1_000), '');
globalThis.gc?.();
report('memory at the end', memory(), 'MiB');
stop.abort();
await simulated.stopped;
await informers.stop();
await client.close();
await chain.stop(0);
await etcd.close();
rmSync(directory, { recursive: true, force: true });

async function createAccount(): Promise<void> {
  const accounts = { ...podsRef, resource: 'serviceaccounts' };
  await client.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
}
