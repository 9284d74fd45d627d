import { errorMessage } from '@apichain/meta';
import type { handleUnaryCall } from '@grpc/grpc-js';
import { EtcdServerError } from '../etcd-server-error.ts';
import { grpcStatus } from '../grpc-status.ts';

/** The code and text that a client gets for whatever a call throws. */
export function toServiceError(error: unknown): { code: number; details: string } {
  if (error instanceof EtcdServerError) return { code: error.code, details: error.details };
  return { code: grpcStatus.INTERNAL, details: errorMessage(error) };
}

type Work<Request, Response> = (request: Request) => Promise<Response> | Response;

/** Hands what `work` answers to `succeed`, what it throws or rejects with to `fail`; at once if it answers at once. */
export function answer<Request, Response>(
  work: Work<Request, Response>,
  request: Request,
  succeed: (response: Response) => void,
  fail: (error: unknown) => void,
): void {
  let response: Promise<Response> | Response;
  try {
    response = work(request);
  } catch (error) {
    fail(error);
    return;
  }
  if (response instanceof Promise) response.then(succeed, fail);
  else succeed(response);
}

/** By the handlers that `unary` made, which are made once each. */
const works = new WeakMap<object, Work<unknown, unknown>>();

/** What the handler of a call with one request and one answer does, if `unary` made it. */
export const workOf = (handler: object): Work<unknown, unknown> | undefined => works.get(handler);

/** A call with one request and one answer. */
export function unary<Request, Response>(work: Work<Request, Response>): handleUnaryCall<Request, Response> {
  const handler: handleUnaryCall<Request, Response> = (call, callback) => {
    answer(
      work,
      call.request,
      (response) => {
        callback(null, response);
      },
      (error) => {
        callback(toServiceError(error));
      },
    );
  };
  works.set(handler, work as Work<unknown, unknown>);
  return handler;
}
