/**
 * Discovery and OpenAPI of a chain beside ten extension servers, of which one refuses connections, one is silent and one responds after 30 s. Prints the
 * first, the median and the slowest response of each document, and the longest turn of the event loop meanwhile in processor time, which does not depend
 * on what else the machine does. The servers run in a thread of their own.
 *
 *   node tools/compatibility/ten-servers.ts [REQUESTS]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { freePort } from '@apichain/meta';
import { startChain, type TestChain } from '@apichain/testing';
import { get } from '../servers/get.ts';
import { blackHole, secureServer, type ServerCredentials } from '../servers/stand-ins.ts';

const healthy = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const slowMs = 30_000;
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const documents: readonly (readonly [path: string, accept: string])[] = [
  ['/apis', aggregated],
  ['/apis', 'application/json'],
  ['/api', aggregated],
  ['/openapi/v2', 'application/json'],
  ['/openapi/v3', 'application/json'],
  ['/openapi/v3/apis/apps/v1', 'application/json'],
];
const groupOf = (name: string) => `${name}.many.example.com`;

/** Serves the healthy groups, the silent one and the slow one, and sends their ports to the main thread. */
async function serveAll(tls: ServerCredentials): Promise<void> {
  const serverOf = (name: string, delayMs: number) => {
    const root = `/apis/${groupOf(name)}/v1`;
    const thing = { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list'] };
    const served: Record<string, object> = {
      [root]: { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${groupOf(name)}/v1`, resources: [thing] },
      '/openapi/v2': { swagger: '2.0', paths: { [`${root}/things`]: {} }, definitions: {} },
      '/openapi/v3': { paths: { [root.slice(1)]: { serverRelativeURL: `/openapi/v3${root}` } } },
      [`/openapi/v3${root}`]: { openapi: '3.0.0', paths: { [`${root}/things`]: {} } },
    };
    return secureServer(tls, (asked, response) => {
      const document = served[(asked.url ?? '').split('?')[0] ?? ''];
      setTimeout(() => {
        response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(document ?? {}));
      }, delayMs);
    });
  };
  const ports: Record<string, number> = { silent: (await blackHole()).port };
  for (const name of healthy) ports[name] = (await serverOf(name, 0)).port;
  ports['slow'] = (await serverOf('slow', slowMs)).port;
  parentPort?.postMessage(ports);
}

/** Measures the turns of the event loop until it is asked for the longest one, in milliseconds of this thread's processor time. */
function watchTurns(): () => number {
  let longest = 0;
  let isOver = false;
  const cpu = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let last = cpu();
  const turn = () => {
    const now = cpu();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return longest;
  };
}

/** The time of one request over a new connection, in milliseconds. Throws Error unless the status is 200. */
async function timeOf({ url, adminConfig }: TestChain, path: string, accept: string): Promise<number> {
  const [user] = adminConfig.users;
  const [cluster] = adminConfig.clusters;
  const bytes = (text = '') => Buffer.from(text, 'base64');
  const tls = {
    ca: bytes(cluster?.caData),
    cert: bytes(user?.certData),
    key: bytes(user?.keyData),
    rejectUnauthorized: true,
  };
  const started = performance.now();
  const options = { ...tls, headers: { accept, 'accept-encoding': 'gzip' }, timeout: 60_000 };
  const { status } = await get(`${url}${path}`, options);
  if (status !== 200) throw new Error(`${path}: ${status}`);
  return performance.now() - started;
}

const apiService = (group: string, port: number) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `v1.${group}` },
  spec: {
    group,
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    insecureSkipTLSVerify: true,
    service: { namespace: 'default', name: 'local', port },
  },
});

async function measure(requests: number): Promise<void> {
  const chain = await startChain();
  const { certificate: cert, key } = await chain.issueServing(['local.default.svc']);
  const servers = new Worker(new URL(import.meta.url), { workerData: { cert, key } });
  const ports = await new Promise<Readonly<Record<string, number>>>((resolve) => servers.once('message', resolve));
  const all = { ...ports, refused: await freePort() };
  await chain.apply(
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'local', namespace: 'default' },
      spec: { type: 'ExternalName', externalName: '127.0.0.1' },
    },
    ...Object.entries(all).map(([name, port]) => apiService(groupOf(name), port)),
  );
  for (const [path, accept] of documents) {
    const longestTurn = watchTurns();
    const first = await timeOf(chain, path, accept);
    const times: number[] = [];
    for (let i = 0; i < requests; i++) times.push(await timeOf(chain, path, accept));
    times.sort((a, b) => a - b);
    const figures = [first, times[times.length >> 1] ?? 0, times.at(-1) ?? 0, longestTurn()];
    const form = accept === aggregated ? 'aggregated' : '';
    const [start, median, slowest, turn] = figures.map((ms) => ms.toFixed(0).padStart(6));
    console.log(
      `first ${start} ms, median ${median}, slowest ${slowest}; longest turn ${turn} ms CPU: ${path} ${form}`,
    );
    await sleep(100);
  }
  await servers.terminate();
  await chain.stop();
}

if (isMainThread) await measure(Number(process.argv[2] ?? 20));
else await serveAll(workerData as ServerCredentials);
