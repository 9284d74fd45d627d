import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { httpTransport, RestClient } from '@apichain/client';
import { definitionOf, versionOf } from '../servers/definition.ts';
import { bearer, get } from '../servers/get.ts';
import { waitFor } from '../servers/process.ts';
import {
  clocksApart,
  etcdFaults,
  fakeTimeLibrary,
  hostFaults,
  movedClients,
  replicaFaults,
  rollingRestart,
  type Fault,
} from './faults.ts';
import { configMaps, Load, type LoadKind } from './load.ts';
import { isInNamespaces, loopback, namespaces, type Network } from './network.ts';
import { Replicas, repository } from './replicas.ts';
import { soak } from './soak.ts';
import { suffer, sufferAll, verdict, type Bounds } from './suffer.ts';

/** What has to be done in the end, in this order. */
export type CleanUp = (() => Promise<unknown>)[];

interface ReplicasRun {
  readonly etcdBinary: string;
  readonly directory: string;
  readonly workers: number;
  /** A built checkout of an earlier release, with which the replicas begin. */
  readonly release: string | undefined;
  readonly isShort: boolean;
  readonly bounds: Bounds;
  readonly soakMs: number;
  readonly maxKills: number;
  readonly seed: number;
  readonly samples: string | undefined;
  readonly fuzzRequests: number;
}

const current = { folder: repository };
/** In a run of an hour the clients pause longer, because all that they have seen is kept until its end. */
const soakPace = 3;

/** Two replicas of each service, and all faults. Returns the violations. */
export async function runReplicas(options: ReplicasRun, cleanUp: CleanUp): Promise<string[]> {
  const { bounds, directory, etcdBinary, workers, release } = options;
  const network = isInNamespaces() ? namespaces(directory) : loopback;
  const folder = resolve(release ?? repository);
  const replicas = await Replicas.start({ etcdBinary, network, directory, folder, workers });
  cleanUp.unshift(() => replicas.close());
  if (options.fuzzRequests > 0) return fuzz(replicas, options);
  const loads = await startLoads(replicas, options.soakMs > 0 ? soakPace : 1);
  const patient = { etcd: replicas.etcd, loads };
  const wrong: string[] = [];
  if (release !== undefined)
    wrong.push(...(await suffer(patient, rollingRestart(replicas, 'rolling upgrade', current), bounds)));
  // The controllers end by themselves when they lose their Lease.
  const lasting = replicas.all.filter(({ host, service }) => host.name.endsWith('-1') && service !== 'controllers');
  const ending = replicas.all.filter((replica) => !lasting.includes(replica));
  const common = [movedClients(loads), ...faultsOfHosts(replicas, network, directory)];
  if (options.soakMs > 0) {
    const isKill = ({ name }: Fault) => name.startsWith('kill');
    const [ends, others] = [etcdFaults(replicas.etcd), replicaFaults(replicas, ending)]
      .flat()
      .reduce<[Fault[], Fault[]]>((parts, fault) => (parts[isKill(fault) ? 0 : 1].push(fault), parts), [[], []]);
    const suspended = replicaFaults(replicas, lasting).filter((fault) => !isKill(fault));
    wrong.push(
      ...(await soak({
        ...{ patient, lasting, kills: ends, faults: [...others, ...suspended, ...common] },
        ...{ durationMs: options.soakMs, maxKills: options.maxKills, seed: options.seed },
        ...{ bounds, samples: options.samples },
      })),
    );
  } else {
    const all = [...etcdFaults(replicas.etcd), ...replicaFaults(replicas), rollingRestart(replicas), ...common];
    wrong.push(...(await sufferAll(patient, options.isShort ? fewOf(all) : all, bounds)));
  }
  return [...wrong, ...(await verdict(patient, true))];
}

/** The faults that need hosts, disks and clocks of their own. */
function faultsOfHosts(replicas: Replicas, network: Network, directory: string): readonly Fault[] {
  if (!network.hasHosts) return [];
  const library = fakeTimeLibrary();
  if (library === undefined) console.log('  without clocks that differ: libfaketime is not installed');
  const clocks = library === undefined ? [] : [clocksApart(replicas, current, library, directory)];
  return [...hostFaults(replicas, network, directory), ...clocks];
}

/** A replica that ends, one that goes silent, and clients that move. */
function fewOf(faults: readonly Fault[]): readonly Fault[] {
  const silent = isInNamespaces() ? 'partition of kube-core-2' : 'SIGSTOP of kube-core-2';
  const few = ['kill -9 of kube-core-1', silent, 'clients moved'];
  return faults.filter(({ name }) => few.some((text) => name.startsWith(text)));
}

/** Clients of a built-in resource, and of a custom one, whose requests pass all three services. */
async function startLoads({ urls, token }: Replicas, pace: number): Promise<readonly Load[]> {
  const kinds = [configMaps, await defineLedgers(urls[0] ?? '', token)];
  const loads = kinds.map((kind) => new Load({ ...{ urls, token, kind, pace }, writers: 10, watchers: 15 }));
  for (const load of loads) await load.start();
  return loads;
}

async function defineLedgers(url: string, token: string): Promise<LoadKind> {
  const data = { type: 'object', additionalProperties: { type: 'string' } };
  const definition = definitionOf('chaos.example.com', 'Ledger', [versionOf('v1', { data })]);
  const path = '/apis/chaos.example.com/v1/namespaces/default/ledgers';
  const client = new RestClient(httpTransport({ url, token, insecureSkipTlsVerify: true }));
  await client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', undefined, definition);
  await client.close();
  const isServed = async () => (await get(`${url}${path}`, { headers: bearer(token) })).status === 200;
  await waitFor(isServed, 30_000, () => 'the custom resource is not served');
  return { apiVersion: 'chaos.example.com/v1', kind: 'Ledger', path };
}

/** Runs the fuzzer against each replica of the aggregator, one after the other. */
async function fuzz({ urls, token }: Replicas, { fuzzRequests, seed }: ReplicasRun): Promise<string[]> {
  const wrong: string[] = [];
  for (const [index, url] of urls.entries()) {
    const requests = Math.ceil(fuzzRequests / urls.length);
    const flags = [
      '--insecure',
      `--token=${token}`,
      `--seed=${String(seed + index)}`,
      `--requests=${String(requests)}`,
    ];
    const args = [join(repository, 'tools/fuzz/main.ts'), `--url=${url}`, ...flags, '--seconds=86400'];
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) wrong.push(`the fuzzer ended with ${String(code)}`);
  }
  return wrong;
}
