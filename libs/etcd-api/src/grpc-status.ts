/** The status codes of gRPC, defined here to avoid loading the library: https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
export const grpcStatus = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** A status code of gRPC. */
export type GrpcStatus = (typeof grpcStatus)[keyof typeof grpcStatus];

const codes: ReadonlySet<number> = new Set(Object.values(grpcStatus));

/** Whether a number is a status code of gRPC. */
export const isGrpcStatus = (code: number): code is GrpcStatus => codes.has(code);
