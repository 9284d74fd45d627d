import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RestClient, httpTransport } from '@apichain/client';
import { isStatusError, type KubeObject } from '@apichain/meta';
import { Kubectl } from '../../servers/kubectl.ts';
import { waitFor } from '../../servers/process.ts';
import { readDescription, Server } from '../../servers/server.ts';
import { requestCounts } from './requests.ts';

/** An object as the scripts read it: any field may be absent, and a comparison with another server tells what is there. */
export interface Anything extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

const nodeNames = ['node-1', 'node-2', 'node-3'] as const;
const tokenSeconds = 7_200;

/** What the server's processes have used up, and what they were asked. */
export interface Usage {
  readonly processorSeconds: number;
  readonly memoryMiB: number;
  /** Requests by `verb resource code`. */
  readonly requests: ReadonlyMap<string, number>;
}

/** One API server with users for nodes and controllers, and its administrator. */
export class Cluster {
  readonly name: string;
  /** Logs and credentials of this server's clients. */
  readonly dir: string;
  readonly url: string;
  readonly admin: Kubectl;
  readonly client: RestClient;
  /** The file of the key that signs ServiceAccount tokens. */
  readonly serviceAccountKey: string;
  /** The file of the authority of the server's certificate, which the description of the server names. */
  readonly rootCertificate: string;
  readonly nodes: readonly { readonly name: string; readonly client: RestClient }[];
  readonly #server: Server;

  private constructor(
    name: string,
    rootCertificate: string,
    dir: string,
    server: Server,
    nodeTokens: ReadonlyMap<string, string>,
  ) {
    const { url, token } = server;
    this.name = name;
    this.dir = dir;
    this.url = url;
    this.#server = server;
    this.admin = Kubectl.withToken(dir, 'admin', url, token);
    this.client = clientOf(url, token);
    this.serviceAccountKey = server.fill('{dir}/sa.key');
    this.rootCertificate = server.fill(rootCertificate);
    this.nodes = [...nodeTokens].map(([name, nodeToken]) => ({ name, client: clientOf(url, nodeToken) }));
  }

  /**
   * Starts the server that a file describes. `beside` is added to its name, and tells what will run beside it. `out` gets a folder of this name. Throws
   * Error when the server is not ready in time.
   */
  static async start(file: string, etcdBinary: string, out: string, beside?: string): Promise<Cluster> {
    const { name: serverName, command, rootCertificate } = readDescription('server', file);
    const name = beside === undefined ? serverName : `${serverName}/${beside}`;
    const dir = join(out, name);
    mkdirSync(dir, { recursive: true });
    const nodeTokens = new Map(nodeNames.map((name) => [name, randomUUID()]));
    const tokens = [...nodeTokens].map(([name, token]) => `${token},system:node:${name},${name},"system:nodes"`);
    const server = await Server.start({ command, etcdBinary, tokens });
    return new Cluster(name, String(rootCertificate), dir, server, nodeTokens);
  }

  async usage(): Promise<Usage> {
    return {
      processorSeconds: this.#server.processorMs() / 1_000,
      memoryMiB: this.#server.memoryMiB(),
      requests: requestCounts(await this.admin.output(['get', '--raw=/metrics'])),
    };
  }

  /** Ends the server and starts it again. With `file`, the server that it describes takes the place of the first one, on its etcd. */
  restart(file?: string): ReturnType<Server['restart']> {
    return this.#server.restart(file === undefined ? undefined : readDescription('move-to', file).command);
  }

  async stop(): Promise<void> {
    await Promise.all([this.client, ...this.nodes.map(({ client }) => client)].map((client) => client.close()));
    await this.#server.stop();
  }

  logFile(program: string): string {
    return join(this.dir, `${program}.log`);
  }

  /** kubectl, and with it a kubeconfig, with a new token of a ServiceAccount. Creates the ServiceAccount when there is none. */
  async account(namespace: string, name: string): Promise<Kubectl> {
    await this.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } },
    ]);
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const request = { kind: 'TokenRequest', spec: { expirationSeconds: tokenSeconds } };
    const created = await this.client.request('POST', path, undefined, request);
    const { status } = created as { readonly status: { readonly token: string } };
    return Kubectl.withToken(this.dir, name, this.url, status.token);
  }

  /** Creates a namespace, and waits until pods can be created in it. */
  async createNamespace(name: string): Promise<void> {
    await this.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }]);
    await this.until(`/api/v1/namespaces/${name}/serviceaccounts/default`, () => true);
  }

  /** Server-side apply by the administrator, in a namespace. Throws Error with kubectl's output when one object is refused. */
  async apply(objects: readonly object[], namespace?: string): Promise<void> {
    const inNamespace = (object: object) => {
      const { metadata } = object as KubeObject;
      return namespace === undefined ? object : { ...object, metadata: { ...metadata, namespace } };
    };
    const list = { apiVersion: 'v1', kind: 'List', items: objects.map(inNamespace) };
    await this.admin.output(
      ['apply', '--server-side', '--force-conflicts', '--field-manager=test', '-f', '-'],
      JSON.stringify(list),
    );
  }

  async get(path: string): Promise<Anything> {
    return (await this.client.request('GET', path)) as Anything;
  }

  /** Undefined when there is no such object. */
  async find(path: string): Promise<Anything | undefined> {
    try {
      return await this.get(path);
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** The objects of a collection, sorted by name. */
  async list(path: string): Promise<Anything[]> {
    const { items } = (await this.client.request('GET', path)) as { readonly items: Anything[] | null };
    return (items ?? []).toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
  }

  /** Waits until an object fulfils a condition. Returns it. */
  async until(path: string, condition: (object: Anything) => boolean, timeoutMs = 90_000): Promise<Anything> {
    let last: Anything | undefined;
    await waitFor(
      async () => {
        last = await this.find(path);
        return last !== undefined && condition(last);
      },
      timeoutMs,
      () => `${path} at ${this.name} is ${JSON.stringify(last)}`,
    );
    return this.get(path);
  }

  async untilGone(path: string, timeoutMs = 90_000): Promise<number> {
    return waitFor(
      async () => (await this.find(path)) === undefined,
      timeoutMs,
      () => `${path} at ${this.name} is still there`,
    );
  }

  /** Waits until so many objects of a collection fulfil a condition. Returns all objects of the collection. */
  async untilCount(
    path: string,
    count: number,
    condition: (object: Anything) => boolean,
    timeoutMs = 90_000,
  ): Promise<Anything[]> {
    return this.untilAll(path, (items) => items.filter(condition).length === count, timeoutMs);
  }

  /** Waits until the objects of a collection fulfil a condition together. Returns them. */
  async untilAll(
    path: string,
    condition: (objects: readonly Anything[]) => boolean,
    timeoutMs = 90_000,
  ): Promise<Anything[]> {
    let items: Anything[] = [];
    await waitFor(
      async () => {
        items = await this.list(path);
        return condition(items);
      },
      timeoutMs,
      () => `${path} at ${this.name}: ${JSON.stringify(items)}`,
    );
    return items;
  }
}

export const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? '';

/** The status of a condition: True, False, Unknown, or undefined. */
export function conditionOf({ status }: Anything, type: string): string | undefined {
  const conditions = (status?.['conditions'] ?? []) as readonly { readonly type: string; readonly status: string }[];
  return conditions.find((condition) => condition.type === type)?.status;
}

const clientOf = (url: string, token: string): RestClient =>
  new RestClient(httpTransport({ url, token, insecureSkipTlsVerify: true }));
