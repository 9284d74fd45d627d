import { setTimeout as sleep } from 'node:timers/promises';
import { createCA } from '@apichain/serving/certificates';
import type { Platform } from './platform.ts';
import type { Recording } from '../comparison/recording.ts';
import {
  availableCondition,
  type ExtensionServer,
  pathOfApiService,
  sampleApiserver,
  waitForAvailable,
} from './extension-servers.ts';
import { Neighbours } from './neighbours.ts';
import { waitFor } from '../servers/process.ts';
import { flunder } from './wardle.ts';
import { slowProxy } from '../servers/stand-ins.ts';

const versions = ['v1alpha1.wardle.example.com', 'v1beta1.wardle.example.com'];
const [name = ''] = versions;
const root = '/apis/wardle.example.com/v1alpha1';
const flunders = `${root}/namespaces/default/flunders`;
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** How long clients may be sent to an unavailable server: kube-apiserver notices it only when its own requests to that server have ended. */
const settleMs = 60_000;
const elsewhere = ['/api/v1/namespaces/default', '/apis/apps/v1/deployments', '/apis'];

/** The sample-apiserver is killed, comes back, gets a wrong caBundle, and responds slowly. */
export async function observeOutages(platform: Platform, record: Recording, server: ExtensionServer): Promise<void> {
  const neighbours = new Neighbours(platform, elsewhere);
  await killed(platform, record, server);
  await wrongBundle(platform, record);
  await slow(platform, record, server);
  await neighbours.stop(record, 'outages');
}

async function killed(platform: Platform, record: Recording, server: ExtensionServer): Promise<void> {
  await server.stop('SIGKILL');
  record.text('killed: get at once', await platform.kubectl(['get', 'flunders']));
  const raw = await platform.get(flunders);
  record.text('killed: request at once', `${raw.status} ${JSON.stringify(raw.body)}`);
  record.figure('killed: ms until not Available', await waitForAvailable(platform, name, 'False'));
  await note(platform, record, 'killed');
  record.text('killed: get', await platform.kubectl(['get', 'flunders']));
  record.text('killed: api-resources', await platform.kubectl(['api-resources', '-o', 'name']));
  record.text('killed: explain', await platform.kubectl(['explain', 'flunders.spec']));
  await server.start();
  record.figure('killed: ms until Available again', await waitForAvailable(platform, name, 'True'));
  for (const each of versions) await waitForAvailable(platform, each, 'True');
  await waitForFresh(platform);
  await note(platform, record, 'back');
  record.text('back: create', await platform.kubectl(['create', '-f', '-'], flunder('back')));
  record.text('back: delete', await platform.kubectl(['delete', 'flunder', 'back']));
}

async function wrongBundle(platform: Platform, record: Recording): Promise<void> {
  const { certificate } = await createCA('stranger');
  const bundle = async (caBundle: string) => {
    for (const each of versions) await platform.patch(pathOfApiService(each), { spec: { caBundle } });
  };
  await bundle(Buffer.from(certificate).toString('base64'));
  // The reason is in the response only until the APIService is found to be unavailable, some milliseconds later.
  record.text('wrong bundle: request at once', String((await platform.get(flunders)).status));
  record.figure('wrong bundle: ms until not Available', await waitForAvailable(platform, name, 'False'));
  await note(platform, record, 'wrong bundle');
  await bundle(platform.caBundle);
  record.figure('wrong bundle: ms until Available again', await waitForAvailable(platform, name, 'True'));
  for (const each of versions) await waitForAvailable(platform, each, 'True');
}

async function slow(platform: Platform, record: Recording, server: ExtensionServer): Promise<void> {
  const proxy = await slowProxy(server.port);
  const at = async (port: number) => {
    for (const each of versions) await platform.patch(pathOfApiService(each), { spec: { service: { port } } });
  };
  try {
    proxy.delayMs = 1_500;
    await at(proxy.port);
    await sleep(4_000);
    await note(platform, record, 'responds after 1.5 s');
    const started = performance.now();
    record.text('responds after 1.5 s: get', String((await platform.get(flunders)).status));
    record.figure('responds after 1.5 s: ms of a request', performance.now() - started);
    proxy.delayMs = 8_000;
    record.figure('responds after 8 s: ms until not Available', await waitForAvailable(platform, name, 'False'));
    const isStale = async () => !(await freshness(platform)).includes('Current') && (await isRefused(platform));
    const staleMs = await waitFor(isStale, settleMs, () => `discovery is not stale behind ${platform.name}`);
    record.figure('responds after 8 s: more ms until discovery says so', staleMs);
    await note(platform, record, 'responds after 8 s');
    proxy.delayMs = 0;
    record.figure('responds after 8 s: ms until Available again', await waitForAvailable(platform, name, 'True'));
  } finally {
    await at(server.port);
    await proxy.close();
  }
  for (const each of versions) await waitForAvailable(platform, each, 'True');
}

/** Two servers over one etcd: the APIServices are switched from one to the other, and the old one ends; no request may fail. */
export async function roll(platform: Platform, record: Recording, old: ExtensionServer): Promise<ExtensionServer> {
  const next = await sampleApiserver(platform, 'sample-apiserver-next');
  await next.start();
  const clients = new Neighbours(platform, [
    flunders,
    `${flunders}?limit=1`,
    '/apis/wardle.example.com/v1beta1/flunders',
    root,
  ]);
  await sleep(500);
  for (const each of versions) await platform.patch(pathOfApiService(each), { spec: { service: { port: next.port } } });
  await sleep(1_000);
  await old.stop('SIGTERM');
  await sleep(1_000);
  await clients.stop(record, 'rolling');
  return next;
}

async function note(platform: Platform, record: Recording, step: string): Promise<void> {
  const { status, reason, message } = (await availableCondition(platform, name)) ?? {};
  record.text(`${step}: condition`, `${status} ${reason}: ${message}`);
  const version = await platform.get(root);
  const kind = Object(version.body) as { kind?: string };
  record.text(`${step}: discovery of its version`, `${version.status} ${kind.kind ?? JSON.stringify(version.body)}`);
  record.text(`${step}: freshness`, await freshness(platform));
}

/** The freshness and the resources of each version in aggregated discovery. */
async function freshness(platform: Platform): Promise<string> {
  const { items } = (await platform.get('/apis', aggregated)).body as {
    items: {
      metadata: { name: string };
      versions: { version: string; freshness: string; resources?: { resource: string }[] }[];
    }[];
  };
  const found = items.find(({ metadata }) => metadata.name === 'wardle.example.com');
  return JSON.stringify(
    found?.versions.map((each) => [each.version, each.freshness, each.resources?.map(({ resource }) => resource)]),
  );
}

const isRefused = async (platform: Platform): Promise<boolean> =>
  String((await platform.get(root)).body).includes('service unavailable');

async function waitForFresh(platform: Platform): Promise<void> {
  for (let attempt = 0; attempt < 300 && (await freshness(platform)).includes('Stale'); attempt += 1) await sleep(100);
}
