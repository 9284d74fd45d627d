import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../servers/process.ts';
import type { ApiServer } from './api-server.ts';
import { canonicalText, firstDifference } from './canonical-text.ts';
import { Cluster, type Programs } from './cluster.ts';
import type { Findings } from './findings.ts';
import { definitions, testObjects, type TestObject } from './objects.ts';
import { BothWatches, lastDifference, putBack } from './reads.ts';

const mediaTypes = { protobuf: 'application/vnd.kubernetes.protobuf', json: 'application/json' } as const;
type Media = keyof typeof mediaTypes;

/** The form in which each server stores, and the one that finds the store empty. */
interface Way {
  readonly kubeApiserver: Media;
  readonly chain: Media;
  readonly first: 'kubeApiserver' | 'chain';
}

const ways: readonly Way[] = [
  { kubeApiserver: 'protobuf', chain: 'protobuf', first: 'kubeApiserver' },
  { kubeApiserver: 'protobuf', chain: 'protobuf', first: 'chain' },
  { kubeApiserver: 'json', chain: 'json', first: 'chain' },
  { kubeApiserver: 'protobuf', chain: 'json', first: 'kubeApiserver' },
];

const settleTimeoutMs = 30_000;

/** Objects of every kind, written by either server and read, watched, written back, patched and deleted by the other, in every form. */
export async function compareBothWays(programs: Programs, findings: Findings): Promise<void> {
  for (const way of ways) {
    const cluster = await Cluster.start(programs);
    try {
      await compareWay(cluster, way, findings);
    } finally {
      await cluster.stop();
    }
  }
}

async function compareWay(cluster: Cluster, way: Way, findings: Findings): Promise<void> {
  const { kubeApiserver, chain } = cluster;
  const both = way.first === 'chain' ? (['chain', 'kubeApiserver'] as const) : (['kubeApiserver', 'chain'] as const);
  for (const name of both) await cluster[name].start([`--storage-media-type=${mediaTypes[way[name]]}`]);
  const run = new WayRun(cluster, way, findings);
  await run.compareAllLists('bootstrap');
  await run.exchange(kubeApiserver, chain, 'kube');
  await run.exchange(chain, kubeApiserver, 'chain');
}

class WayRun {
  readonly #cluster: Cluster;
  readonly #way: Way;
  readonly #findings: Findings;

  constructor(cluster: Cluster, way: Way, findings: Findings) {
    this.#cluster = cluster;
    this.#way = way;
    this.#findings = findings;
  }

  /** Everything that is stored, as both servers list it. */
  async compareAllLists(when: string): Promise<void> {
    // kube-apiserver asks for component statuses concurrently and lists them as they come.
    const paths = (await collections(this.#cluster.kubeApiserver)).filter(
      (path) => !path.endsWith('componentstatuses'),
    );
    for (const path of paths) await this.#compareReads(`lists (${when})`, path);
  }

  /** `writer` creates the objects, `other` reads and writes them, and both delete them. */
  async exchange(writer: ApiServer, other: ApiServer, run: string): Promise<void> {
    const from = `written by ${writer.name}`;
    await this.#prepare(writer, run);
    const objects = await this.#valid(testObjects(run));
    const watches = await this.#openWatches(objects);
    for (const object of objects) await this.#create(writer, object);
    await this.#settle(writer, objects);
    for (const { path } of objects) await this.#compareReads(`objects ${from}`, path);
    await this.compareAllLists(from);
    for (const object of objects) await this.#writeBack(writer, other, object);
    for (const object of objects) {
      await other.json('PATCH', object.path, { body: { metadata: { labels: { patched: 'by-the-other' } } } });
      await this.#compareReads(`objects patched after being ${from}`, object.path);
      await writer.json('PATCH', object.path, { body: object.change });
    }
    for (const [index, { path }] of objects.entries())
      await (index % 2 === 0 ? writer : other).json('DELETE', `${path}?gracePeriodSeconds=0`);
    await this.#compareWatches(watches, from);
  }

  async #prepare(writer: ApiServer, run: string): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `data-${run}` } };
    await writer.json('POST', '/api/v1/namespaces', { body: namespace });
    const custom = testObjects(run).filter(({ path }) => path.includes(`/${run}.example.com/`));
    await this.#cluster.define(
      definitions(run),
      custom.map(({ collection }) => collection),
      writer,
    );
  }

  /** The objects that kube-apiserver accepts. A few samples are there to be refused. */
  async #valid(objects: readonly TestObject[]): Promise<TestObject[]> {
    const valid: TestObject[] = [];
    for (const object of objects) {
      const { status } = await this.#cluster.kubeApiserver.send('POST', `${object.collection}?dryRun=All`, {
        body: object.body,
      });
      if (status === 201) valid.push(object);
      else this.#findings.figure(`refused by kube-apiserver: ${object.path}`, String(status));
    }
    return valid;
  }

  async #create(writer: ApiServer, { collection, path, body, status }: TestObject): Promise<void> {
    await writer.json('POST', `${collection}?fieldManager=creator`, { body });
    if (status === undefined) return;
    const response = await writer.send('PATCH', `${path}/status?fieldManager=controller`, { body: { status } });
    // Some statuses are valid only for the sample with many fields.
    if (response.status !== 200 && response.status !== 422)
      throw new Error(`${writer.name}: ${path}/status: ${response.status} ${response.bytes.toString()}`);
  }

  /** Waits until the servers have written the conditions of objects whose status is theirs. */
  async #settle(writer: ApiServer, objects: readonly TestObject[]): Promise<void> {
    for (const { path } of objects.filter(({ hasOwnStatus }) => hasOwnStatus)) {
      const hasCondition = async () => (await writer.send('GET', path)).bytes.includes('"lastTransitionTime"');
      await waitFor(hasCondition, settleTimeoutMs, () => `no condition at ${path}`);
    }
    await sleep(1_000);
  }

  async #compareReads(what: string, path: string): Promise<void> {
    const differences = await lastDifference(
      () => this.#readDifferences(path),
      ({ json, protobuf }) => (json ?? protobuf) !== undefined,
    );
    this.#check(`${what}, JSON`, path, differences.json);
    this.#check(`${what}, protobuf`, path, differences.protobuf);
  }

  async #readDifferences(path: string): Promise<{ json: string | undefined; protobuf: string | undefined }> {
    const expected = await this.#cluster.kubeApiserver.inBothForms(path);
    const actual = await this.#cluster.chain.inBothForms(path);
    const texts = [canonicalText(expected.json.bytes), canonicalText(actual.json.bytes)] as const;
    const [one, other] = [expected.protobuf, actual.protobuf];
    const sizes = `${one.status}, ${one.bytes.length} bytes; ${other.status}, ${other.bytes.length} bytes`;
    return {
      json: texts[0] === texts[1] ? undefined : firstDifference(...texts),
      protobuf: one.status === other.status && one.bytes.equals(other.bytes) ? undefined : sizes,
    };
  }

  /**
   * The other server writes what it has read, without a change. When both store in the same form, nothing may be written: the bytes
   * are what the other would store. Otherwise the writer must turn the value into the very bytes that it had stored.
   */
  // kube-apiserver gives lists with quantities to whoever sends them unchanged, so the manager is the one that created the object.
  async #writeBack(writer: ApiServer, other: ApiServer, { path, hasOwnStatus }: TestObject): Promise<void> {
    const before = await this.#cluster.storedAt(writer, path);
    if (path.includes('/events/')) this.#check('leases of Events', path, before.lease === '0' ? 'no lease' : undefined);
    await putBack(other, path);
    const between = await this.#cluster.storedAt(writer, path);
    const sameForm = this.#way.chain === this.#way.kubeApiserver || before.value[0] === between.value[0];
    const what = `stored bytes of ${writer.name} written back by ${other.name}`;
    if (!sameForm) await putBack(writer, path);
    const after = sameForm ? between : await this.#cluster.storedAt(writer, path);
    const isSame =
      after.value.equals(before.value) && (!sameForm || hasOwnStatus || after.revision === before.revision);
    const rewritten = `written again as revision ${after.revision}, with the same bytes`;
    const texts = [asText(before.value), asText(after.value)] as const;
    if (!isSame && withoutEmptyLists(texts[0]) === texts[1]) {
      this.#findings.figure(`empty lists are stored as null: ${what}`, path);
      return;
    }
    const difference = after.value.equals(before.value) ? rewritten : firstDifference(...texts);
    this.#check(what, path, isSame ? undefined : difference);
  }

  #openWatches(objects: readonly TestObject[]): Promise<BothWatches[]> {
    const paths = new Set(objects.map(({ collection }) => collection));
    return Promise.all([...paths].map((path) => BothWatches.open(this.#cluster, path)));
  }

  async #compareWatches(watches: readonly BothWatches[], from: string): Promise<void> {
    for (const [path, difference] of await BothWatches.differences(watches))
      this.#check(`watches of objects ${from}`, path, difference);
  }

  #check(what: string, path: string, difference: string | undefined): void {
    const { kubeApiserver, chain, first } = this.#way;
    const where = `kube-apiserver stores ${kubeApiserver}, chain ${chain}, ${first} first; ${path}`;
    this.#findings.check(what, difference === undefined ? undefined : `${where}\n${difference}`);
  }
}

/** A required list that is empty is null in protobuf. The chain stores the same in JSON; kube-apiserver keeps it in JSON. */
const withoutEmptyLists = (text: string): string => text.replaceAll(':[]', ':null');

/** Stored bytes as lines: JSON by members, protobuf by its texts. */
function asText(value: Buffer): string {
  const text = value.toString(value[0] === 0x7b ? 'utf8' : 'latin1');
  return JSON.stringify(text).replaceAll(/[,{]|\\u/g, '\n$&');
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Groups {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly { readonly resource: string; readonly verbs: readonly string[] }[];
    }[];
  }[];
}

/** The path of every collection that a server lists, over all namespaces and in every version. */
async function collections(server: ApiServer): Promise<string[]> {
  const paths: string[] = [];
  for (const root of ['/api', '/apis']) {
    const { items } = await server.json<Groups>('GET', root, { accept: aggregated });
    for (const { metadata, versions = [] } of items)
      for (const { version, resources = [] } of versions)
        for (const { resource, verbs } of resources)
          if (verbs.includes('list')) paths.push([root, metadata.name, version, resource].filter(Boolean).join('/'));
  }
  return paths;
}
