import { setTimeout as sleep } from 'node:timers/promises';
import type { Recording } from '../../comparison/recording.ts';
import { waitFor } from '../../servers/process.ts';
import { type Anything, conditionOf } from './cluster.ts';
import { createCrowded, crowdedObjects, leftIn } from './crowded.ts';
import { normalise } from './facts.ts';
import { hangingGroup, startHangingServer, type HangingServer, type Hangs } from './hanging-server.ts';
import { namespaceObject, service } from './objects.ts';
import { ControllerSession, type Step } from './session.ts';

const apiService = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${hangingGroup}`;
const serverNamespace = 'hanging';
const timeoutMs = 180_000;
/** Within this time a namespace is gone, or it waits for the extension server. */
const deletionTimeoutMs = 30_000;
/** Discovery and the availability checks have seen the server, or have given up. */
const settleMs = 10_000;

/** How long the deletion of a namespace takes: alone, and beside an extension API server that accepts connections and does not respond. */
export class Namespaces extends ControllerSession {
  readonly name = 'namespaces';
  #server: HangingServer | undefined;

  async start(): Promise<void> {
    this.#server = await startHangingServer();
    await this.cluster.apply([namespaceObject(serverNamespace)]);
    const external = service('hanging', { type: 'ExternalName', externalName: '127.0.0.1' });
    await this.cluster.apply([external], serverNamespace);
  }

  readonly steps: readonly Step[] = [
    { name: 'deletion', run: (record) => this.#delete(record, 'alone', () => Promise.resolve()) },
    {
      name: 'deletion beside a server that responds',
      run: (record) => this.#beside(record, 'beside a server that responds', 'nothing'),
    },
    {
      name: 'deletion beside a server that hangs for HTTP/2',
      run: (record) => this.#beside(record, 'beside a server that hangs for HTTP/2', 'HTTP/2'),
    },
    {
      name: 'deletion beside a server that hangs',
      run: (record) => this.#beside(record, 'beside a server that hangs', 'everything'),
    },
    { name: 'deletion beside a server that begins to hang', run: (record) => this.#beginsToHang(record) },
  ];

  goOn(record: Recording): Promise<void> {
    return this.#delete(record, 'after the restart', () => Promise.resolve());
  }

  override async stop(): Promise<void> {
    await this.#server?.close();
  }

  /** The server is registered, and hangs before the aggregator has seen it. */
  async #beside(record: Recording, label: string, hangs: Hangs): Promise<void> {
    const begun = performance.now();
    const { status } = await this.#register(hangs);
    record.figure(`APIService ${label}: ms until its first condition`, performance.now() - begun);
    record.text(`namespaces: APIService ${label}`, normalise(JSON.stringify(status)));
    await sleep(settleMs);
    try {
      await this.#delete(record, label, () => this.#unregister());
    } finally {
      await this.#unregister();
    }
  }

  /** The server is available when the deletion begins, and does not respond any more from then on. */
  async #beginsToHang(record: Recording): Promise<void> {
    await this.#register('nothing');
    const hanging = this.#server;
    if (hanging === undefined) throw new Error('not started');
    await this.cluster.until(apiService, (object) => conditionOf(object, 'Available') === 'True');
    hanging.hangs = 'everything';
    try {
      await this.#delete(record, 'beside a server that begins to hang', () => this.#unregister());
    } finally {
      await this.#unregister();
    }
  }

  /** Deletes a crowded namespace. If it is still there after a while, `unblock` removes what it waits for. */
  async #delete(record: Recording, label: string, unblock: () => Promise<void>): Promise<void> {
    const namespace = label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    await createCrowded(this.cluster, namespace);
    const path = `/api/v1/namespaces/${namespace}`;
    const begun = performance.now();
    const note = (what: string) =>
      record.figure(`namespace of ${crowdedObjects} objects ${label}: ms until ${what}`, performance.now() - begun);
    await this.cluster.client.request('DELETE', path);
    await waitFor(
      async () => (await leftIn(this.cluster, namespace)).length === 0,
      timeoutMs,
      () => `objects are left in ${namespace}`,
    );
    note('it was empty');
    while (performance.now() - begun < deletionTimeoutMs && (await this.cluster.find(path)) !== undefined)
      await sleep(50);
    const waiting = await this.cluster.find(path);
    record.text(`namespaces: ${label}: waits`, waiting === undefined ? 'no' : conditionsOf(waiting));
    if (waiting !== undefined) await unblock();
    await this.cluster.untilGone(path, timeoutMs);
    note('it was gone');
  }

  /** Creates the APIService. Returns it with its first condition. */
  async #register(hangs: Hangs): Promise<Anything> {
    if (this.#server === undefined) throw new Error('not started');
    this.#server.hangs = hangs;
    const spec = {
      group: hangingGroup,
      version: 'v1',
      groupPriorityMinimum: 1_000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { namespace: serverNamespace, name: 'hanging', port: this.#server.port },
    };
    const metadata = { name: `v1.${hangingGroup}` };
    await this.cluster.apply([{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata, spec }]);
    return this.cluster.until(apiService, (object) => conditionOf(object, 'Available') !== undefined);
  }

  async #unregister(): Promise<void> {
    if ((await this.cluster.find(apiService)) === undefined) return;
    await this.cluster.client.request('DELETE', apiService);
    await this.cluster.untilGone(apiService);
  }
}

/** The conditions that are not as after a complete deletion. */
function conditionsOf({ status }: Anything): string {
  const conditions = (status?.['conditions'] ?? []) as readonly {
    readonly type: string;
    readonly status: string;
    readonly message: string;
  }[];
  return conditions
    .filter((condition) => condition.status === 'True')
    .map(({ type, message }) => `${type}: ${message}`)
    .toSorted()
    .join('\n');
}
