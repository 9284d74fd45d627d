import type { ServiceError } from '@grpc/grpc-js';
import { grpcStatus, isGrpcStatus } from '@apichain/etcd-api';
import { EtcdError, neverSent } from '../etcd-error.ts';

/** Messages of grpc-js for calls that did not reach the server or that the server did not process. */
const neverSentTexts = [
  'Stream refused by server',
  'Failed to start HTTP/2 stream',
  'Channel closed before call started',
];

/** Converts a failed call to an EtcdError; `wasNeverSent` tells whether the call may be repeated. */
export function toEtcdError({ code: given, details }: ServiceError): EtcdError {
  const code: number = given;
  if (neverSentTexts.some((text) => details.startsWith(text))) return neverSent(details);
  const wasCutOff = code === grpcStatus.CANCELLED || details.startsWith('Received RST_STREAM');
  if (wasCutOff) return new EtcdError(grpcStatus.UNAVAILABLE, `the call was cut off: ${details}`);
  return new EtcdError(isGrpcStatus(code) ? code : grpcStatus.UNKNOWN, details);
}

/** Whether a failure is the answer of a running etcd, rather than a failure of the connection. */
export const isAnswer = ({ code, message }: EtcdError): boolean =>
  message.startsWith('etcdserver: ') ||
  (code !== grpcStatus.UNAVAILABLE && code !== grpcStatus.DEADLINE_EXCEEDED && code !== grpcStatus.CANCELLED);
