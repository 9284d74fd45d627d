import {
  CompactionRequest,
  CompactionResponse,
  KVService,
  LeaseGrantRequest,
  LeaseGrantResponse,
  LeaseService,
  LeaseTimeToLiveRequest,
  LeaseTimeToLiveResponse,
  MaintenanceService,
  RangeRequest,
  RangeResponse,
  StatusRequest,
  StatusResponse,
  TxnRequest,
  TxnResponse,
} from '@apichain/etcd-api/etcdserverpb';
import type { EtcdTransport } from './transport/etcd-transport.ts';
import { isCutOff, wasNeverSent } from './etcd-error.ts';

/**
 * How long a write may take when there are several members, in milliseconds. A write sent to a leader that failed is never answered, and its client
 * should not wait much longer than an election takes.
 */
const maxWriteTime = 4_000;

export interface EtcdCallsOptions {
  readonly transport: Pick<EtcdTransport, 'call'>;
  /** The number of endpoints that the transport may try. */
  readonly endpoints: number;
  /** The timeout of one call, in milliseconds. */
  readonly timeout: number;
}

/** A message's encoding, as ts-proto makes it. */
interface Encoding<Message> {
  encode(message: Message): { finish(): Uint8Array };
}

function encoded<Message>(encoding: Encoding<Message>, message: Message): Buffer {
  const bytes = encoding.encode(message).finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Whether a transaction writes nothing. */
const isReadOnly = ({ success, failure }: TxnRequest): boolean =>
  success.every((op) => op.requestRange !== undefined) && failure.every((op) => op.requestRange !== undefined);

/**
 * The etcd calls. Requests are encoded once and responses decoded once. Each call throws EtcdError. A write is repeated only if it was never sent. A
 * read is also repeated, on the next endpoint, when its connection broke.
 */
export class EtcdCalls {
  readonly #transport: Pick<EtcdTransport, 'call'>;
  readonly #endpoints: number;
  readonly #timeout: number;
  readonly #writeTimeout: number;
  /** The highest revision of any response so far. */
  seenRevision = 0;

  constructor({ transport, endpoints, timeout }: EtcdCallsOptions) {
    this.#transport = transport;
    this.#endpoints = endpoints;
    this.#timeout = timeout;
    this.#writeTimeout = endpoints > 1 ? Math.min(timeout, maxWriteTime) : timeout;
  }

  /** Tries each endpoint while `mayRepeat` allows it: a failed endpoint is no longer preferred, so the next attempt goes to another one. */
  async untilSent<Response>(
    attempt: () => Promise<Response>,
    mayRepeat: (error: unknown) => boolean = wasNeverSent,
  ): Promise<Response> {
    for (let left = this.#endpoints - 1; ; left--) {
      try {
        return await attempt();
      } catch (error) {
        if (left <= 0 || !mayRepeat(error)) throw error;
      }
    }
  }

  async range(request: RangeRequest, timeout = this.#timeout): Promise<RangeResponse> {
    const encodedResponse = await this.#read(KVService.range.path, encoded(RangeRequest, request), timeout);
    const response = RangeResponse.decode(encodedResponse);
    this.#see(response);
    return response;
  }

  async txn(request: TxnRequest): Promise<TxnResponse> {
    const { path } = KVService.txn;
    const message = encoded(TxnRequest, request);
    const encodedResponse = isReadOnly(request) ? await this.#read(path, message) : await this.#write(path, message);
    const response = TxnResponse.decode(encodedResponse);
    this.#see(response);
    return response;
  }

  async compact(revision: number): Promise<void> {
    const message = encoded(CompactionRequest, { revision, physical: false });
    CompactionResponse.decode(await this.#write(KVService.compact.path, message));
  }

  async grantLease(ttl: number): Promise<LeaseGrantResponse> {
    const message = encoded(LeaseGrantRequest, { TTL: ttl, ID: '0' });
    return LeaseGrantResponse.decode(await this.#write(LeaseService.leaseGrant.path, message));
  }

  async leaseTimeToLive(id: string): Promise<LeaseTimeToLiveResponse> {
    const message = encoded(LeaseTimeToLiveRequest, { ID: id, keys: false });
    return LeaseTimeToLiveResponse.decode(await this.#read(LeaseService.leaseTimeToLive.path, message));
  }

  async status(): Promise<StatusResponse> {
    return StatusResponse.decode(await this.#read(MaintenanceService.status.path, encoded(StatusRequest, {})));
  }

  #write(path: string, message: Buffer): Promise<Buffer> {
    return this.untilSent(() => this.#transport.call({ path, message, timeout: this.#writeTimeout }));
  }

  #read(path: string, message: Buffer, timeout = this.#timeout): Promise<Buffer> {
    return this.untilSent(() => this.#transport.call({ path, message, timeout }), isCutOff);
  }

  #see({ header }: RangeResponse | TxnResponse): void {
    const revision = header?.revision ?? 0;
    if (revision > this.seenRevision) this.seenRevision = revision;
  }
}
