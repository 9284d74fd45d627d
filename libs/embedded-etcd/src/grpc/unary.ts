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
export function complete<Request, Response>(
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

/** The handler of a call with one request and one response, with the work that it does. */
interface UnaryHandler<Request, Response> extends handleUnaryCall<Request, Response> {
  readonly work: Work<Request, Response>;
}

/** The work of a handler with one request and one response, if `unary` created the handler. */
export const workOf = (handler: object): Work<unknown, unknown> | undefined =>
  'work' in handler ? (handler as UnaryHandler<unknown, unknown>).work : undefined;

/** Creates the handler of a call with one request and one response. */
export function unary<Request, Response>(work: Work<Request, Response>): handleUnaryCall<Request, Response> {
  const handler: handleUnaryCall<Request, Response> = (call, callback) => {
    complete(
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
  return Object.assign(handler, { work });
}
