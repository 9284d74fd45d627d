import { createRequire } from 'node:module';
import type * as Grpc from '@grpc/grpc-js';
import { grpcStatus } from '@apichain/etcd-api';
import {
  DecryptRequest,
  DecryptResponse,
  EncryptRequest,
  EncryptResponse,
  StatusRequest,
  StatusResponse,
  type MessageFns,
} from './generated/kms.ts';

const require = createRequire(import.meta.url);

/** A KMS v2 plugin: https://kubernetes.io/docs/tasks/administer-cluster/kms-provider/#developing-a-kms-plugin-gRPC-server-v2 */
export interface KmsService {
  status(): Promise<StatusResponse>;
  encrypt(request: EncryptRequest): Promise<EncryptResponse>;
  decrypt(request: DecryptRequest): Promise<DecryptResponse>;
  close(): void;
}

/** A call that failed, in the plugin or on the connection to it. The message is that of Go's gRPC, because clients see it. */
export class KmsCallError extends Error {
  override readonly name = 'KmsCallError';
}

const codeNames: ReadonlyMap<number, string> = new Map([
  [grpcStatus.CANCELLED, 'Canceled'],
  [grpcStatus.UNKNOWN, 'Unknown'],
  [grpcStatus.INVALID_ARGUMENT, 'InvalidArgument'],
  [grpcStatus.DEADLINE_EXCEEDED, 'DeadlineExceeded'],
  [grpcStatus.NOT_FOUND, 'NotFound'],
  [grpcStatus.ALREADY_EXISTS, 'AlreadyExists'],
  [grpcStatus.PERMISSION_DENIED, 'PermissionDenied'],
  [grpcStatus.RESOURCE_EXHAUSTED, 'ResourceExhausted'],
  [grpcStatus.FAILED_PRECONDITION, 'FailedPrecondition'],
  [grpcStatus.ABORTED, 'Aborted'],
  [grpcStatus.OUT_OF_RANGE, 'OutOfRange'],
  [grpcStatus.UNIMPLEMENTED, 'Unimplemented'],
  [grpcStatus.INTERNAL, 'Internal'],
  [grpcStatus.UNAVAILABLE, 'Unavailable'],
  [grpcStatus.DATA_LOSS, 'DataLoss'],
  [grpcStatus.UNAUTHENTICATED, 'Unauthenticated'],
]);

function toKmsCallError({ code, details }: { readonly code: number; readonly details: string }): KmsCallError {
  const description = code === grpcStatus.DEADLINE_EXCEEDED ? 'context deadline exceeded' : details;
  return new KmsCallError(`rpc error: code = ${codeNames.get(code) ?? String(code)} desc = ${description}`);
}

/** The socket of `unix:///path`, or of `unix:///@name` in Linux's abstract namespace. */
function addressOf(endpoint: string): string {
  const path = endpoint.replace(/^unix:(\/\/[^/]*)?/i, '');
  return path.startsWith('/@') ? `unix:\0${path.slice(2)}` : `unix:${path}`;
}

const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Creates a client. `endpoint` must be valid already; `timeout` bounds each call, in milliseconds. Connects on the first call. */
export function connectKms(endpoint: string, timeout: number): KmsService {
  // Loaded on demand, because few chains use a plugin.
  const grpc = require('@grpc/grpc-js') as typeof Grpc;
  const client = new grpc.Client(addressOf(endpoint), grpc.credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    // A plugin that restarts is used again without a long delay.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    'grpc.service_config_disable_resolution': 1,
  });
  const waitForReady = new grpc.Metadata({ waitForReady: true });
  const method =
    <Request, Response>(name: string, request: MessageFns<Request>, response: MessageFns<Response>) =>
    (message: Request): Promise<Response> =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          `/v2.KeyManagementService/${name}`,
          (value: Request) => toBuffer(request.encode(value).finish()),
          (bytes: Buffer) => response.decode(bytes),
          message,
          waitForReady,
          { deadline: Date.now() + timeout },
          (error, reply) => {
            if (error !== null) reject(toKmsCallError(error));
            else if (reply === undefined) reject(new KmsCallError('rpc error: code = Internal desc = empty reply'));
            else resolve(reply);
          },
        );
      });
  const status = method('Status', StatusRequest, StatusResponse);
  return {
    status: () => status({}),
    encrypt: method('Encrypt', EncryptRequest, EncryptResponse),
    decrypt: method('Decrypt', DecryptRequest, DecryptResponse),
    close: () => client.close(),
  };
}
