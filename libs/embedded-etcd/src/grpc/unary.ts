import type { handleUnaryCall } from '@grpc/grpc-js';
import { EtcdServerError } from '../etcd-server-error.ts';
import { grpcStatus } from '../grpc-status.ts';

/** The code and text that a client gets for whatever a call throws. */
export function toServiceError(error: unknown): { code: number; details: string } {
  if (error instanceof EtcdServerError) return { code: error.code, details: error.details };
  return { code: grpcStatus.INTERNAL, details: error instanceof Error ? error.message : String(error) };
}

/** A call with one request and one answer. */
export const unary =
  <Request, Response>(work: (request: Request) => Promise<Response> | Response): handleUnaryCall<Request, Response> =>
  (call, callback) => {
    const succeed = (response: Response) => {
      callback(null, response);
    };
    const fail = (error: unknown) => {
      callback(toServiceError(error));
    };
    let answer: Promise<Response> | Response;
    try {
      answer = work(call.request);
    } catch (error) {
      fail(error);
      return;
    }
    if (answer instanceof Promise) answer.then(succeed, fail);
    else succeed(answer);
  };
