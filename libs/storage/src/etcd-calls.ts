import type { GrpcChannel } from './etcd-channel.ts';
import { wasNeverSent } from './etcd-error.ts';
import {
  RangeRequest,
  RangeResponse,
  StatusRequest,
  StatusResponse,
  TxnRequest,
  TxnResponse,
} from './etcd/generated/rpc.ts';

const rangePath = '/etcdserverpb.KV/Range';
const txnPath = '/etcdserverpb.KV/Txn';
const statusPath = '/etcdserverpb.Maintenance/Status';

export interface EtcdCallsOptions {
  readonly channel: GrpcChannel;
  /** How many endpoints the channel may try. */
  readonly endpoints: number;
  /** Milliseconds that one call may take. */
  readonly timeout: number;
}

/** The calls that every request makes, encoded here: through a client library they cost twice as much. Each throws EtcdError. */
export class EtcdCalls {
  readonly #channel: GrpcChannel;
  readonly #endpoints: number;
  readonly #timeout: number;
  /** The highest revision that any answer has shown. */
  seenRevision = 0;

  constructor({ channel, endpoints, timeout }: EtcdCallsOptions) {
    this.#channel = channel;
    this.#endpoints = endpoints;
    this.#timeout = timeout;
  }

  /** Tries every endpoint: the one that failed rests, or is no longer the current one, so the next attempt goes to another. */
  async untilSent<Response>(attempt: () => Promise<Response>): Promise<Response> {
    for (let left = this.#endpoints - 1; ; left--) {
      try {
        return await attempt();
      } catch (error) {
        if (left <= 0 || !wasNeverSent(error)) throw error;
      }
    }
  }

  async range(request: RangeRequest, timeout = this.#timeout): Promise<RangeResponse> {
    const response = RangeResponse.decode(await this.#call(rangePath, RangeRequest.encode(request).finish(), timeout));
    this.#see(response);
    return response;
  }

  async txn(request: TxnRequest): Promise<TxnResponse> {
    const response = TxnResponse.decode(await this.#call(txnPath, TxnRequest.encode(request).finish()));
    this.#see(response);
    return response;
  }

  async status(): Promise<StatusResponse> {
    return StatusResponse.decode(await this.#call(statusPath, StatusRequest.encode({}).finish()));
  }

  #call(path: string, message: Uint8Array, timeout = this.#timeout): Promise<Buffer> {
    return this.untilSent(() => this.#channel.call({ path, message, timeout }));
  }

  #see({ header }: RangeResponse | TxnResponse): void {
    const revision = header?.revision ?? 0;
    if (revision > this.seenRevision) this.seenRevision = revision;
  }
}
