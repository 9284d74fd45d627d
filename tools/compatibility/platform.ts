import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificateFiles, type CertificateFiles } from '@apichain/serving/certificate-files';
import { createCA, issueServing, type CertificatePair } from '@apichain/serving/certificates';
import { Client, type Response } from '../conformance/client.ts';
import { type Etcd, startEtcd } from '../servers/etcd.ts';
import { Kubectl } from '../servers/kubectl.ts';
import { readDescription, Server } from '../servers/server.ts';

export interface Programs {
  readonly etcd: string;
  readonly sampleApiserver: string;
  readonly metricsServer: string;
}

/** An API server under test, with an etcd for the extension servers behind it, their certificates, and kubectl. */
export class Platform {
  readonly name: string;
  readonly programs: Programs;
  readonly client: Client;
  readonly dir: string;
  readonly etcdUrl: string;
  /** The authority of the extension servers' certificates. */
  readonly ca: CertificatePair;
  readonly url: string;
  readonly #kubectl: Kubectl;
  readonly #server: Server;
  readonly #etcd: Etcd;

  private constructor(
    name: string,
    programs: Programs,
    fields: { dir: string; ca: CertificatePair; server: Server; etcd: Etcd },
  ) {
    const { url, token } = fields.server;
    this.name = name;
    this.programs = programs;
    this.dir = fields.dir;
    this.url = url;
    this.etcdUrl = fields.etcd.url;
    this.ca = fields.ca;
    this.#server = fields.server;
    this.#etcd = fields.etcd;
    this.client = new Client(fields.server.connection);
    this.#kubectl = Kubectl.withToken(fields.dir, 'admin', url, token);
  }

  /** Starts the API server that a file describes (tools/servers/server.ts). Throws Error when it is not ready in time. */
  static async start(file: string, programs: Programs): Promise<Platform> {
    const { name, command } = readDescription('server', file);
    const dir = mkdtempSync(join(tmpdir(), 'apichain-compatibility-'));
    const server = await Server.start({ command, etcdBinary: programs.etcd });
    const etcd = await startEtcd(programs.etcd, dir);
    return new Platform(name, programs, { dir, server, etcd, ca: await createCA('extension-servers') });
  }

  get kubeconfig(): string {
    return this.#kubectl.kubeconfig;
  }

  /** The API server's memory, in MiB. */
  get memoryMiB(): number {
    return this.#server.memoryMiB();
  }

  get caBundle(): string {
    return Buffer.from(this.ca.certificate).toString('base64');
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.#etcd.process.stop();
    await this.#server.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** The files of a serving certificate for a Service's name. */
  async servingFiles(service: string): Promise<CertificateFiles> {
    const pair = await issueServing(this.ca, service, [service, '127.0.0.1']);
    const files = certificateFiles(this.dir, service);
    writeFileSync(files.certFile, pair.certificate);
    writeFileSync(files.keyFile, pair.key, { mode: 0o600 });
    return files;
  }

  /** Runs kubectl. The exit code, when it is not 0, comes first in the text that is returned; then the output and what went to stderr. */
  kubectl(args: readonly string[], input?: unknown): Promise<string> {
    return this.#kubectl.run(args, input === undefined ? '' : JSON.stringify(input));
  }

  /** Runs `kubectl get --watch` while `during` does something, and a second after. Returns what it wrote. */
  watched(args: readonly string[], during: () => Promise<void>): Promise<string> {
    return this.#kubectl.watched(args, during);
  }

  get(path: string, accept = 'application/json'): Promise<Response> {
    return this.client.send({ method: 'GET', path, headers: { accept } });
  }

  /** Creates an object. Throws Error unless it is created. */
  async create(path: string, object: unknown): Promise<void> {
    const response = await this.#send('POST', path, object, 'application/json');
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${JSON.stringify(response.body)}`);
  }

  async patch(path: string, patch: unknown): Promise<void> {
    const response = await this.#send('PATCH', path, patch, 'application/merge-patch+json');
    if (response.status !== 200) throw new Error(`PATCH ${path}: ${response.status} ${JSON.stringify(response.body)}`);
  }

  async delete(path: string): Promise<void> {
    const { status } = await this.client.send({ method: 'DELETE', path, headers: {} });
    if (status !== 200) throw new Error(`DELETE ${path}: ${status}`);
  }

  #send(method: 'POST' | 'PATCH', path: string, body: unknown, type: string): Promise<Response> {
    return this.client.send({ method, path, headers: { 'content-type': type }, body: JSON.stringify(body) });
  }
}
