import { RestClient } from '@apichain/client';
import { followCrds, listCrds } from '@apichain/client/manifests';
import type { InProcessChain } from '@apichain/chain';
import type { EmbeddedEtcd } from '@apichain/embedded-etcd';
import { manifestsUserAgent } from '../manifests/user-agent.ts';

/** What the store of a chain in this process held when the chain had started with an empty store. */
export class Seed {
  readonly #etcd: EmbeddedEtcd;
  #contents: ReturnType<EmbeddedEtcd['snapshot']> | undefined;

  private constructor(etcd: EmbeddedEtcd) {
    this.#etcd = etcd;
  }

  /** Undefined for a store that holds the data of an earlier start. To be called before the chain starts. */
  static of(etcd: EmbeddedEtcd): Seed | undefined {
    const emptyRevision = 1;
    return etcd.revision > emptyRevision ? undefined : new Seed(etcd);
  }

  keep(): void {
    this.#contents = this.#etcd.snapshot();
  }

  /**
   * Brings the store back to the contents that were kept. Watches report the differences as ordinary events; an object that was made anew under its name
   * is deleted first, so that none changes its uid. Resolves when the servers follow.
   */
  async restore(chain: InProcessChain): Promise<void> {
    const contents = this.#contents;
    if (contents === undefined) throw new Error('no seed was kept');
    const client = new RestClient(chain.connect(manifestsUserAgent));
    try {
      const definitions = await listCrds(client);
      const present = this.#etcd.snapshot().keys;
      const keys = new Map(
        [...contents.keys].filter(([key, { createRevision, value }]) => {
          const now = present.get(key);
          return now === undefined || now.createRevision === createRevision || now.value.equals(value);
        }),
      );
      await this.#etcd.restore({ ...contents, keys });
      await this.#etcd.restore(contents);
      await chain.upToDate();
      await followCrds(client, definitions);
    } finally {
      await client.close();
    }
  }
}
