import { errorMessage } from '@apichain/meta';
import type { handleUnaryCall } from '@grpc/grpc-js';
import { EtcdServerError, grpcStatus } from '@apichain/etcd-api';

/** The gRPC code and message for an error that a call throws. */
export function toServiceError(error: unknown): { code: number; details: string } {
  if (error instanceof EtcdServerError) return { code: error.code, details: error.details };
  return { code: grpcStatus.INTERNAL, details: errorMessage(error) };
}

type Work<Request, Response> = (request: Request) => Promise<Response> | Response;

/** Passes the result of `work` to `succeed`, and its error to `fail`. Synchronous when `work` is. */
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

/** The work of each handler that `unary` created. */
const works = new WeakMap<object, Work<unknown, unknown>>();

/** The work of a handler with one request and one answer, if `unary` created the handler. */
export const workOf = (handler: object): Work<unknown, unknown> | undefined => works.get(handler);

/** Creates the handler of a call with one request and one answer. */
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
