export { grpcStatus, isGrpcStatus, type GrpcStatus } from './grpc-status.ts';
export {
  announce,
  EtcdServerError,
  inProcessEtcd,
  type InProcessEtcd,
  type InProcessWatch,
  type InProcessWatchHandlers,
} from './in-process.ts';
