import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type KubeObject } from '@apichain/meta';
import { deleteRangeRequest, requestOp } from '@apichain/etcd-api';
import { connectEtcd, putOp, type EtcdConnection } from '@apichain/etcd-client';
import { writeCredentials } from '../../servers/credentials.ts';
import { startEtcd } from '../../servers/etcd.ts';
import { waitFor, type Process } from '../../servers/process.ts';
import { ApiServer } from './api-server.ts';

const settleTimeoutMs = 30_000;

export interface Programs {
  readonly etcd: string;
  readonly kubeApiserver: string;
  /** The chain as three services instead of one process. */
  readonly threeServices: boolean;
}

/** A value in etcd. */
export interface Stored {
  readonly key: string;
  readonly value: Buffer;
  readonly revision: number;
  /** The id of its lease, '0' for none. */
  readonly lease: string;
}

/** An etcd with a kube-apiserver and a chain that both store in it. Neither is started yet. */
export class Cluster {
  readonly dir: string;
  readonly kubeApiserver: ApiServer;
  readonly chain: ApiServer;
  readonly etcd: EtcdConnection;
  readonly #etcdProcess: Process;

  private constructor(fields: {
    dir: string;
    kubeApiserver: ApiServer;
    chain: ApiServer;
    etcd: EtcdConnection;
    etcdProcess: Process;
  }) {
    this.dir = fields.dir;
    this.kubeApiserver = fields.kubeApiserver;
    this.chain = fields.chain;
    this.etcd = fields.etcd;
    this.#etcdProcess = fields.etcdProcess;
  }

  /** Starts the etcd. Throws Error when it is not ready in time. */
  static async start(programs: Programs): Promise<Cluster> {
    const dir = mkdtempSync(join(tmpdir(), 'apichain-data-'));
    const token = randomUUID();
    writeCredentials(dir, token);
    const { url: etcdUrl, process: etcdProcess } = await startEtcd(programs.etcd, dir);
    const shared = (port: number, address: string) => [
      `--etcd-servers=${etcdUrl}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      `--advertise-address=${address}`,
      `--token-auth-file=${join(dir, 'tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--allow-privileged=true',
      '--service-cluster-ip-range=10.0.0.0/16,fd00:10::/112',
      '--disable-admission-plugins=ServiceAccount',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${join(dir, 'sa.pub')}`,
      `--service-account-signing-key-file=${join(dir, 'sa.key')}`,
    ];
    const [kubePort, chainPort] = [await freePort(), await freePort()];
    const chainCommand = [
      process.execPath,
      join(import.meta.dirname, '../../../apps/apichain/src/main.ts'),
      'up',
      ...(programs.threeServices ? [] : ['--in-process']),
      `--data-dir=${join(dir, 'apichain')}`,
      '--controllers=-*',
    ];
    const server = (name: string, port: number, command: readonly string[]) =>
      new ApiServer({ name, port, token, logFile: join(dir, `${name}.log`), command });
    return new Cluster({
      dir,
      etcdProcess,
      etcd: connectEtcd({ servers: [etcdUrl], prefix: '/registry' }),
      kubeApiserver: server('kube-apiserver', kubePort, [
        programs.kubeApiserver,
        ...shared(kubePort, '192.0.2.1'),
        `--cert-dir=${join(dir, 'certificates')}`,
      ]),
      chain: server('chain', chainPort, [...chainCommand, ...shared(chainPort, '192.0.2.2')]),
    });
  }

  /** The two servers, kube-apiserver first. */
  get servers(): readonly [ApiServer, ApiServer] {
    return [this.kubeApiserver, this.chain];
  }

  /** Creates definitions of custom resources, and waits until both servers serve these collections. */
  async define(
    definitions: readonly object[],
    collections: readonly string[],
    creator = this.kubeApiserver,
  ): Promise<void> {
    for (const body of definitions)
      await creator.json('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body });
    for (const server of this.servers)
      for (const collection of collections) {
        const isServed = async () => (await server.send('GET', collection)).status === 200;
        await waitFor(isServed, settleTimeoutMs, () => `${server.name} does not serve ${collection}`);
      }
  }

  async stop(): Promise<void> {
    await this.kubeApiserver.stop();
    await this.chain.stop();
    await this.etcd.close();
    await this.#etcdProcess.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** Writes a value as it is. */
  async put(key: string, value: Buffer): Promise<void> {
    await this.etcd.txn({ compare: [], success: [putOp(Buffer.from(key), value, '0')], failure: [] });
  }

  /** Removes a key. */
  async remove(key: string): Promise<void> {
    const success = [requestOp({ requestDeleteRange: deleteRangeRequest({ key: Buffer.from(key) }) })];
    await this.etcd.txn({ compare: [], success, failure: [] });
  }

  /** The value of the object that a server has at a path. */
  async storedAt(server: ApiServer, path: string): Promise<Stored> {
    const { metadata } = await server.json<KubeObject>('GET', path);
    const found = (await this.stored()).find(({ revision }) => String(revision) === metadata.resourceVersion);
    if (found === undefined) throw new Error(`${path}: no key of revision ${metadata.resourceVersion}`);
    return found;
  }

  /** All values whose keys begin with `/registry/` and the prefix. */
  async stored(prefix = ''): Promise<Stored[]> {
    const start = Buffer.from(`/registry/${prefix}`);
    const end = Buffer.from(start);
    end[end.length - 1] = (end.at(-1) ?? 0) + 1;
    const { kvs } = await this.etcd.range({ key: start, rangeEnd: end });
    return kvs.map(({ key, value, modRevision, lease }) => ({
      ...{ key: key.toString(), value, revision: modRevision, lease },
    }));
  }
}
