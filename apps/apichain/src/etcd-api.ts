import { Etcd3, type IKeyValue } from 'etcd3';
import { readFileSync } from 'node:fs';
import { StartupError } from './startup-error.ts';

/** A key as etcd holds it. */
export interface StoredKey {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  /** `0`: none. */
  readonly lease: string;
}

export interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

const unlimited = -1;
const pageKeys = 500;
const callTimeoutMs = 30_000;
const everything = { key: Buffer.from([0]), range_end: Buffer.from([0]) };

/** What the commands ask of an etcd, embedded or real: plain calls of its v3 API. Every failure is a StartupError in one line. */
export class EtcdApi {
  readonly name: string;
  readonly #client: Etcd3;

  /** `name` is how messages speak of it; `urls` are comma-separated. */
  constructor(name: string, urls: string, tls: TlsFiles = {}) {
    this.name = name;
    this.#client = new Etcd3({
      hosts: urls.split(','),
      grpcOptions: {
        'grpc.max_receive_message_length': unlimited,
        'grpc.max_send_message_length': unlimited,
        'grpc.service_config_disable_resolution': 1,
      },
      defaultCallOptions: (context) => (context.isStream ? {} : { deadline: Date.now() + callTimeoutMs }),
      ...(tls.ca === undefined ? {} : { credentials: credentialsOf(tls.ca, tls) }),
    });
  }

  /** The present revision, the server's version and its complaints. */
  async status(): Promise<{ revision: number; version: string; errors: readonly string[] }> {
    const { header, version, ...rest } = await this.#ask(this.#client.maintenance.status());
    const errors = 'errors' in rest && Array.isArray(rest.errors) ? rest.errors.map(String) : [];
    // Not the status' own: it is one member's view, a read is the cluster's.
    const { header: read } = await this.#ask(this.#client.kv.range({ key: Buffer.from('\0'), keys_only: true }));
    return { revision: Math.max(Number(header.revision), Number(read.revision)), version, errors };
  }

  async count(prefix: string): Promise<number> {
    const { count } = await this.#ask(this.#client.kv.range({ ...rangeOf(prefix), count_only: true }));
    return Number(count);
  }

  /** Every key under a prefix as it was at a revision, in the order of the keys. */
  async *keys(prefix: string, revision: number, options: { keysOnly?: boolean } = {}): AsyncGenerator<StoredKey> {
    const range = rangeOf(prefix);
    for (let key = range.key; ;) {
      const page = await this.#ask(
        this.#client.kv.range({ ...range, key, revision, limit: pageKeys, keys_only: options.keysOnly === true }),
      );
      for (const kv of page.kvs) yield storedKey(kv);
      const last = page.kvs.at(-1);
      if (!page.more || last === undefined) return;
      key = Buffer.concat([last.key, Buffer.from([0])]);
    }
  }

  /** Some keys as they were at a revision, in one call. */
  async read(keys: readonly Buffer[], revision: number): Promise<StoredKey[]> {
    const success = keys.map((key) => ({ request_range: { key, revision } }));
    const { responses } = await this.#ask(this.#client.kv.txn({ compare: [], success, failure: [] }));
    return responses.flatMap(({ response_range: { kvs } }) => kvs.map(storedKey));
  }

  /** Writes some keys in one revision. */
  async put(keys: readonly { key: Buffer; value: Buffer; lease: string }[]): Promise<void> {
    const success = keys.map((request_put) => ({ request_put }));
    await this.#ask(this.#client.kv.txn({ compare: [], success, failure: [] }));
  }

  /** What remains of a lease, in seconds; undefined when it is gone. */
  async leaseTtl(id: string): Promise<number | undefined> {
    const { TTL } = await this.#ask(this.#client.leaseClient.leaseTimeToLive({ ID: id }));
    return Number(TTL) < 0 ? undefined : Number(TTL);
  }

  async grantLease(ttl: number): Promise<string> {
    const { ID } = await this.#ask(this.#client.leaseClient.leaseGrant({ TTL: ttl }));
    return ID;
  }

  close(): void {
    this.#client.close();
  }

  async #ask<Answer>(call: Promise<Answer>): Promise<Answer> {
    try {
      return await call;
    } catch (error) {
      throw new StartupError(`${this.name}: ${(error as Error).message.replaceAll('\n', ' ')}`);
    }
  }
}

const storedKey = (kv: IKeyValue): StoredKey => ({
  key: kv.key,
  value: kv.value,
  createRevision: Number(kv.create_revision),
  modRevision: Number(kv.mod_revision),
  version: Number(kv.version),
  lease: kv.lease,
});

/** All keys with a prefix; with an empty one, all keys. */
function rangeOf(prefix: string): { key: Buffer; range_end: Buffer } {
  const key = Buffer.from(prefix);
  for (let end = Buffer.from(key); end.length > 0; end = end.subarray(0, -1)) {
    const last = end.at(-1) ?? 0xff;
    if (last === 0xff) continue;
    end[end.length - 1] = last + 1;
    return { key, range_end: end };
  }
  return key.length === 0 ? everything : { key, range_end: everything.range_end };
}

function credentialsOf(ca: string, { cert, key }: TlsFiles) {
  const read = (file: string): Buffer => {
    try {
      return readFileSync(file);
    } catch (error) {
      throw new StartupError((error as Error).message);
    }
  };
  return {
    rootCertificate: read(ca),
    ...(cert === undefined ? {} : { certChain: read(cert) }),
    ...(key === undefined ? {} : { privateKey: read(key) }),
  };
}
