import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@apichain/request';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '@apichain/embedded-etcd';
import { ensurePki } from './certificates/pki.ts';
import { certificateFlags } from './certificate-flags.ts';
import { startInProcessChain, type InProcessChain, type InProcessChainOptions } from './chain.ts';

/** The CRD of the cluster-scoped kind Thing, `things.example.com`. */
export const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

/** The certificates and the in-memory etcd of a test suite, for the chains that its tests start. */
export class TestChains {
  #directory: string | undefined;
  #etcd: EmbeddedEtcd | undefined;

  constructor() {
    before(async () => {
      this.#directory = mkdtempSync(join(tmpdir(), 'apichain-in-process-'));
      await ensurePki({ directory: this.#directory, hosts: [], services: ['aggregator'], inThisProcess: true });
      this.#etcd = await startEmbeddedEtcd({ memory: true, inProcess: true });
    });
    after(async () => {
      await this.#etcd?.close();
      if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
    });
  }

  /** A folder for files of the tests. */
  get directory(): string {
    if (this.#directory === undefined) throw new Error('the folder is there from the first test on');
    return this.#directory;
  }

  get etcd(): EmbeddedEtcd {
    if (this.#etcd === undefined) throw new Error('etcd is there from the first test on');
    return this.#etcd;
  }

  /**
   * Starts a chain, on the suite's etcd unless another is given, passes it to `work` when it is ready, and stops it. Throws the error of a failed
   * start.
   */
  async run(
    flags: readonly string[],
    work: (chain: InProcessChain) => Promise<void> | void,
    etcd: EmbeddedEtcd = this.etcd,
    options: Pick<InProcessChainOptions, 'readOnly' | 'requestObservers' | 'aggregatorFlags'> = {},
  ): Promise<void> {
    const failure = Promise.withResolvers<never>();
    const chain = await startInProcessChain({
      flags: [
        ...[`--etcd-servers=${etcd.url}`, '--secure-port=0', '--bind-address=127.0.0.1'],
        ...certificateFlags(this.directory),
        ...flags,
      ],
      logger: (service) => createLogger(service, 0, { write: () => undefined }),
      onFatal: failure.reject,
      ...options,
    });
    try {
      await Promise.race([chain.ready(), failure.promise]);
      await work(chain);
    } finally {
      await chain.stop();
    }
  }
}
