import { setTimeout as sleep } from 'node:timers/promises';
import { Informer, RestClient, objectKey } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { inParallel, repeat } from '../../servers/parallel.ts';
import { waitFor } from '../../servers/process.ts';
import type { ApiServer, WatchLine } from './api-server.ts';
import { Cluster, type Programs, type Stored } from './cluster.ts';
import type { Findings } from './findings.ts';
import { definitions } from './objects.ts';

const settleTimeoutMs = 120_000;
const restMs = 60_000;
const objects = 320;
const watchers = 9;
const namespace = '/api/v1/namespaces/default';
const configMaps = `${namespace}/configmaps`;
const protobuf = ['--storage-media-type=application/vnd.kubernetes.protobuf'];

/** A kube-apiserver and the chain serve one etcd, as in a rolling replacement. */
export async function compareTogether(programs: Programs, findings: Findings): Promise<void> {
  const cluster = await Cluster.start(programs);
  try {
    await cluster.kubeApiserver.start();
    await cluster.chain.start(protobuf);
    await establish(cluster, findings);
    await allocate(cluster, findings);
    await elect(cluster, findings);
    await reconcileEndpoints(cluster, findings);
    await rest(cluster, findings);
    await writeOnAlternatingServers(cluster, findings);
    await stopUnderWatches(cluster, findings);
  } finally {
    await cluster.stop();
  }
}

/** CRDs created at either server are established once and served by both. */
async function establish({ kubeApiserver, chain }: Cluster, findings: Findings): Promise<void> {
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const [run, server] of [
    ['ofkube', kubeApiserver],
    ['ofchain', chain],
  ] as const) {
    const events: WatchLine[] = [];
    const watch = await server.watch(`${crds}?watch=true`, (line) => events.push(line));
    const [body] = definitions(run);
    await server.json('POST', crds, { body });
    for (const each of [kubeApiserver, chain]) {
      const path = `/apis/${run}.example.com/v1/namespaces/default/gadgets`;
      const isServed = async () => (await each.send('GET', path)).status === 200;
      const took = await waitFor(isServed, settleTimeoutMs, () => `${each.name} does not serve ${path}`);
      findings.figure(`CRD created at ${server.name}, ms until ${each.name} serves it`, took.toFixed(0));
    }
    await sleep(8_000);
    await watch.stop();
    const changes = events.filter(({ object }) => object.metadata.name === `gadgets.${run}.example.com`).length;
    // Created, names accepted and established, and StoredVersions or conditions that follow at once.
    findings.check('CRDs established once', changes <= 3 ? undefined : `${run}: ${changes} changes`);
  }
}

/** Services created at once through both servers: no cluster IP and no node port is given twice. */
async function allocate({ kubeApiserver, chain }: Cluster, findings: Findings): Promise<void> {
  const both = [kubeApiserver, chain];
  const serverOf = (index: number) => both[index % 2] ?? chain;
  const names = Array.from({ length: 200 }, (_, index) => `s${index}`);
  const service = (name: string) => ({
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name } },
    spec: { type: 'NodePort', ipFamilyPolicy: 'PreferDualStack', ports: [{ port: 80 }] },
  });
  const create = (shift: number) =>
    inParallel(names, (name, index) =>
      serverOf(index + shift).send('POST', `${namespace}/services`, { body: service(name) }),
    );
  const responses = await create(0);
  const failed = responses.filter(({ status }) => status !== 201);
  findings.check('concurrent creates of Services', failed[0] === undefined ? undefined : failed[0].bytes.toString());
  const { items } = await chain.json<{ items: ServiceObject[] }>('GET', `${namespace}/services`);
  const addresses = items.flatMap(({ spec }) => spec.clusterIPs ?? []);
  const ports = items.flatMap(({ spec }) => (spec.ports ?? []).flatMap(({ nodePort }) => nodePort ?? []));
  findings.same('addresses given once', 'cluster IPs', String(addresses.length), String(new Set(addresses).size));
  findings.same('addresses given once', 'node ports', String(ports.length), String(new Set(ports).size));
  const ip = items.find(({ metadata }) => metadata.name === 's0')?.spec.clusterIPs?.[0];
  for (const server of both) {
    const taken = { ...service('again'), spec: { clusterIP: ip, ports: [{ port: 80 }] } };
    const { status } = await server.send('POST', `${namespace}/services`, { body: taken });
    findings.same('addresses given once', `a taken address at ${server.name}`, '422', String(status));
    const port = { ...service('again'), spec: { type: 'NodePort', ports: [{ port: 80, nodePort: ports[0] }] } };
    const response = await server.send('POST', `${namespace}/services`, { body: port });
    findings.same('addresses given once', `a taken node port at ${server.name}`, '422', String(response.status));
  }
  // Each is deleted at the server that did not create it, which releases what the other gave.
  await inParallel(names, (name, index) => serverOf(index + 1).json('DELETE', `${namespace}/services/${name}`));
  const again = await create(1);
  findings.check(
    'concurrent creates of Services',
    again.every(({ status }) => status === 201) ? undefined : 'after deletes',
  );
}

interface ServiceObject extends KubeObject {
  readonly spec: {
    readonly clusterIPs?: readonly string[];
    readonly ports?: readonly { readonly nodePort?: number }[];
  };
}

/** Two candidates compete for a Lease, each through both servers in turn: there is one holder at a time. */
async function elect({ kubeApiserver, chain }: Cluster, findings: Findings): Promise<void> {
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'leader' }, spec: {} };
  await chain.json('POST', path, { body: lease });
  let attempts = 0;
  const terms: { holder: string; resourceVersion: number }[] = [];
  const candidate = async (holder: string) => {
    for (let attempt = 0; attempt < 40; attempt++) {
      const server = attempts++ % 2 === 0 ? kubeApiserver : chain;
      const found = await server.json<KubeObject>('GET', `${path}/leader`);
      const body = { ...found, spec: { holderIdentity: holder, leaseTransitions: attempt } };
      const { status, bytes } = await server.send('PUT', `${path}/leader`, { body });
      if (status === 200) {
        const { metadata } = JSON.parse(bytes.toString()) as KubeObject;
        terms.push({ holder, resourceVersion: Number(metadata.resourceVersion) });
      } else if (status !== 409) findings.check('leader election', `${server.name}: ${status} ${bytes.toString()}`);
    }
  };
  await Promise.all(['one', 'two', 'three'].map(candidate));
  const versions = new Set(terms.map(({ resourceVersion }) => resourceVersion));
  findings.same('leader election', 'writes that succeeded at one version', String(terms.length), String(versions.size));
  findings.figure('leader election: writes that succeeded of 120', String(terms.length));
}

/** Both servers are in the kubernetes Service, by their leases in etcd. */
async function reconcileEndpoints(cluster: Cluster, findings: Findings): Promise<void> {
  const expected = '192.0.2.1,192.0.2.2';
  const read = async () => {
    const { subsets } = await cluster.chain.json<{ subsets?: { addresses: { ip: string }[] }[] }>(
      'GET',
      `${namespace}/endpoints/kubernetes`,
    );
    return (subsets ?? [])
      .flatMap(({ addresses }) => addresses.map(({ ip }) => ip))
      .sort()
      .join();
  };
  await waitFor(
    async () => (await read()) === expected,
    settleTimeoutMs,
    () => 'the kubernetes Service lacks a server',
  );
  findings.same('the kubernetes Service', 'addresses', expected, await read());
  const leases = await cluster.stored('masterleases/');
  findings.same('the kubernetes Service', 'leases', '2', String(leases.length));
}

/** What is written while nobody sends a request, by key. Leases of the servers are renewed; nothing else may change. */
async function rest(cluster: Cluster, findings: Findings): Promise<void> {
  const before = await cluster.stored();
  await sleep(restMs);
  const after = await cluster.stored();
  const old = new Map(before.map((each) => [each.key, each]));
  const changed = after.filter(({ key, revision }) => old.get(key)?.revision !== revision);
  const isRenewed = ({ key }: Stored) => /\/(masterleases|peerserverleases|leases\/kube-system)\//.test(key);
  const unexpected = changed.filter((each) => !isRenewed(each)).map(({ key }) => key);
  findings.check('keys that change at rest', unexpected.length === 0 ? undefined : unexpected.join(' '));
  const revisions =
    Math.max(...after.map(({ revision }) => revision)) - Math.max(...before.map(({ revision }) => revision));
  findings.figure(`etcd revisions in ${restMs / 1_000} s of rest`, String(revisions));
  findings.figure(
    'keys renewed at rest',
    changed
      .filter(isRenewed)
      .map(({ key }) => key)
      .join(' '),
  );
}

/** Objects written on alternating servers, and watches on both: every watch has the same events in the same order. */
async function writeOnAlternatingServers({ kubeApiserver, chain }: Cluster, findings: Findings): Promise<void> {
  const both = [kubeApiserver, chain];
  const { metadata } = await chain.json<{ metadata: { resourceVersion: string } }>('GET', configMaps);
  const path = `${configMaps}?watch=true&labelSelector=of%3Dturns&resourceVersion=${metadata.resourceVersion}`;
  const seen = await Promise.all(
    Array.from({ length: watchers * 2 }, async (_, index) => {
      const events: string[] = [];
      const server = both[index % 2] ?? chain;
      const watch = await server.watch(path, ({ type, object }) =>
        events.push(`${type} ${object.metadata.name} ${object.metadata.resourceVersion}`),
      );
      return { events, watch };
    }),
  );
  await writeAlternately(both, objects, 'alternate');
  const expected = objects * 3;
  const isComplete = () => Promise.resolve(seen.every(({ events }) => events.length >= expected));
  await waitFor(
    isComplete,
    settleTimeoutMs,
    () => `watches have ${seen.map(({ events }) => events.length).join()} of ${expected}`,
  );
  for (const { events, watch } of seen) {
    await watch.stop();
    findings.check(
      'watches on both servers',
      events.join() === seen[0]?.events.join() ? undefined : 'other events than the first',
    );
  }
}

/** Creates, patches and deletes ConfigMaps, each request at the next server. */
async function writeAlternately(servers: readonly ApiServer[], count: number, label: string): Promise<void> {
  let requests = 0;
  const next = () => servers[requests++ % servers.length] ?? servers[0];
  const one = async (index: number) => {
    const path = `${configMaps}/${label}-${index}`;
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${label}-${index}`, labels: { of: label } },
    };
    await next()?.json('POST', configMaps, { body });
    await next()?.json('PATCH', path, { body: { data: { a: String(index) } } });
    if (label === 'alternate') await next()?.json('DELETE', path);
  };
  await repeat(count, one);
}

/** Informers that use both servers, one of which is stopped: they go on at the other one, with every object once. */
async function stopUnderWatches(cluster: Cluster, findings: Findings): Promise<void> {
  const { kubeApiserver, chain } = cluster;
  for (const [stopped, left] of [
    [kubeApiserver, chain],
    [chain, kubeApiserver],
  ] as const) {
    const label = `stop-${stopped.name === 'chain' ? 'chain' : 'kube'}`;
    let server: ApiServer = stopped;
    const events = Array.from({ length: watchers }, () => new Map<string, string[]>());
    const informers = events.map((byObject) => {
      const note = (object: KubeObject) => {
        const name = objectKey(object);
        byObject.set(name, [...(byObject.get(name) ?? []), object.metadata.resourceVersion ?? '']);
      };
      const client = new RestClient({ send: (request) => server.forward(request), close: () => Promise.resolve() });
      const resource = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' };
      const informer = new Informer({ client, resource, labelSelector: `of=${label}` });
      return informer.addHandlers({ onAdd: note, onUpdate: note }).start();
    });
    await Promise.all(informers.map((informer) => informer.waitForSync()));
    const writing = writeAlternately([left], objects, label);
    await sleep(300);
    server = left;
    await stopped.stop();
    await writing;
    const expected = await left.json<{ items: KubeObject[] }>('GET', `${configMaps}?labelSelector=of%3D${label}`);
    const isComplete = () =>
      Promise.resolve(
        events.every((byObject) =>
          expected.items.every((object) => byObject.get(objectKey(object))?.at(-1) === object.metadata.resourceVersion),
        ),
      );
    await waitFor(isComplete, settleTimeoutMs, () => `informers lack changes after ${stopped.name} stopped`);
    for (const informer of informers) await informer.stop();
    for (const byObject of events) {
      const doubled = [...byObject].filter(([, versions]) => new Set(versions).size !== versions.length);
      findings.check(
        `informers when ${stopped.name} stops`,
        doubled.length === 0 ? undefined : `doubled: ${String(doubled[0])}`,
      );
    }
    await stopped.start(stopped === chain ? protobuf : []);
  }
}
