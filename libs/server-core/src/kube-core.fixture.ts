import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GenericApiServer } from '@apichain/apiserver';
import { parseFlags } from '@apichain/apiserver-options';
import { httpTransport, RestClient } from '@apichain/client';
import { startTestEtcd, type TestEtcd } from '@apichain/etcd-client/etcd.fixture';
import { eventually } from '@apichain/meta/until.fixture';
import { createKubeCoreServer } from './server.ts';
import { kubeCoreFlags, kubeCoreOptions } from './options.ts';

/** A resource of the core group. */
export const core = (resource: string, namespace?: string) => ({
  group: '',
  version: 'v1',
  resource,
  ...(namespace === undefined ? {} : { namespace }),
});

/** A kube-core with a separate etcd for the tests of a suite, and a client with full permissions. */
export class TestKubeCore {
  #directory: string | undefined;
  #etcd: TestEtcd | undefined;
  #running: { readonly server: GenericApiServer; readonly client: RestClient } | undefined;

  /** `flags` are given in addition. */
  constructor(flags: readonly string[] = []) {
    before(() => this.#start(flags));
    after(() => this.#stop());
  }

  get server(): GenericApiServer {
    return this.#started().server;
  }

  get client(): RestClient {
    return this.#started().client;
  }

  #started() {
    if (this.#running === undefined) throw new Error('the server is there from the first test on');
    return this.#running;
  }

  async #start(more: readonly string[]): Promise<void> {
    this.#directory = mkdtempSync(join(tmpdir(), 'kube-core-'));
    this.#etcd = await startTestEtcd();
    const key = join(this.#directory, 'sa.key');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const flags = parseFlags(kubeCoreFlags, [
      `--etcd-servers=${this.#etcd.url}`,
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--service-cluster-ip-range=10.7.0.0/16',
      '--advertise-address=192.0.2.10',
      '--authorization-mode=RBAC',
      `--service-account-signing-key-file=${key}`,
      `--service-account-key-file=${key}`,
      ...more,
    ]);
    const server = await createKubeCoreServer(await kubeCoreOptions(flags));
    await server.listen();
    const { url, token, ca } = server.loopback;
    const transport = httpTransport({ url, token, ca });
    this.#running = { server, client: new RestClient(transport) };
    await eventually(async () => {
      const { status, body } = await transport.send({ method: 'GET', path: '/readyz' });
      await body.dump();
      if (status !== 200) throw new Error('the server did not become ready');
    });
  }

  async #stop(): Promise<void> {
    await this.#running?.client.close();
    await this.#running?.server.shutdown();
    await this.#etcd?.close();
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
  }
}
