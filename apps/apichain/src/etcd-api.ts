import { readFileSync } from 'node:fs';
import { StartupError } from '@apichain/chain/setup';
import { everyKey, prefixEnd } from '@apichain/etcd-api';
import { connectEtcd, putOp, rangeOp, type EtcdConnection, type EtcdCredentials } from '@apichain/etcd-client';
import { errorMessage } from '@apichain/meta';

/** A key as stored in etcd. */
export interface StoredKey {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  /** The id of the lease; `0` means none. */
  readonly lease: string;
}

export interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

const pageKeys = 500;
const defaultCallTimeoutMs = 30_000;

/** A key with its value, in the form that etcd calls return. */
type KeyValue = Awaited<ReturnType<EtcdConnection['range']>>['kvs'][number];

/** The calls to etcd that the commands use, for an embedded or a real etcd (v3 API). Every failure is a StartupError with a one-line message. */
export class EtcdApi {
  readonly name: string;
  readonly #connection: EtcdConnection;

  /**
   * `name` is how messages refer to the etcd; `urls` are comma-separated; `callTimeoutMs` is in milliseconds. With `readOnly` no call is sent that would
   * change the etcd.
   */
  constructor(
    name: string,
    urls: string,
    tls: TlsFiles = {},
    { callTimeoutMs = defaultCallTimeoutMs, readOnly = false }: { callTimeoutMs?: number; readOnly?: boolean } = {},
  ) {
    this.name = name;
    const credentials = credentialsOf(tls);
    try {
      this.#connection = connectEtcd({
        servers: urls.split(','),
        prefix: '',
        readOnly,
        callTimeoutMs,
        credentials: () => credentials,
      });
    } catch (error) {
      throw new StartupError(`${name}: ${errorMessage(error)}`);
    }
  }

  /** The current revision, the server's version and the errors that it reports. */
  async status(): Promise<{ revision: number; version: string; errors: readonly string[] }> {
    const { header, version, errors } = await this.#resultOf(this.#connection.status());
    // The revision in the status is that of one member; a read returns the revision of the cluster.
    const read = await this.#resultOf(this.#connection.currentRevision());
    return { revision: Math.max(header?.revision ?? 0, read), version, errors };
  }

  async count(prefix: string): Promise<number> {
    return (await this.#resultOf(this.#connection.range({ ...rangeOf(prefix), countOnly: true }))).count;
  }

  /** Every key with a prefix at a revision, in key order. */
  async *keys(prefix: string, revision: number, options: { keysOnly?: boolean } = {}): AsyncGenerator<StoredKey> {
    const range = rangeOf(prefix);
    for (let { key } = range; ;) {
      const page = await this.#resultOf(
        this.#connection.range({ ...range, key, revision, limit: pageKeys, keysOnly: options.keysOnly === true }),
      );
      yield* page.kvs;
      const last = page.kvs.at(-1);
      if (!page.more || last === undefined) return;
      key = Buffer.concat([last.key, Buffer.from([0])]);
    }
  }

  /** Reads some keys at a revision, in one call. */
  async read(keys: readonly Buffer[], revision: number): Promise<StoredKey[]> {
    const success = keys.map((key) => rangeOp(key, revision));
    const { responses } = await this.#resultOf(this.#connection.txn({ compare: [], success, failure: [] }));
    return responses.flatMap(({ responseRange }): KeyValue[] => responseRange?.kvs ?? []);
  }

  /** Writes some keys in one revision. */
  async put(keys: readonly { key: Buffer; value: Buffer; lease: string }[]): Promise<void> {
    const success = keys.map(({ key, value, lease }) => putOp(key, value, lease));
    await this.#resultOf(this.#connection.txn({ compare: [], success, failure: [] }));
  }

  /** The remaining time of a lease, in seconds. Undefined when the lease has expired. */
  leaseTtl(id: string): Promise<number | undefined> {
    return this.#resultOf(this.#connection.leaseTtl(id));
  }

  grantLease(ttl: number): Promise<string> {
    return this.#resultOf(this.#connection.grantLease(ttl));
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #resultOf<Result>(call: Promise<Result>): Promise<Result> {
    try {
      return await call;
    } catch (error) {
      throw new StartupError(`${this.name}: ${errorMessage(error).replaceAll('\n', ' ')}`);
    }
  }
}

/** The range of all keys with a prefix. An empty prefix selects all keys. */
function rangeOf(prefix: string): { key: Buffer; rangeEnd: Buffer } {
  const key = Buffer.from(prefix);
  return key.length === 0 ? everyKey : { key, rangeEnd: prefixEnd(key) };
}

function credentialsOf({ ca, cert, key }: TlsFiles): EtcdCredentials {
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw new StartupError(errorMessage(error));
    }
  };
  return {
    ...(ca === undefined ? {} : { ca: read(ca) }),
    ...(cert === undefined ? {} : { certificate: read(cert) }),
    ...(key === undefined ? {} : { key: read(key) }),
  };
}
