export { grpcStatus, isGrpcStatus, type GrpcStatus } from './grpc-status.ts';
export {
  announce,
  EtcdServerError,
  inProcessEtcd,
  type InProcessEtcd,
  type InProcessWatch,
  type InProcessWatchHandlers,
} from './in-process.ts';
export {
  deleteRangeRequest,
  everyKey,
  prefixEnd,
  putRequest,
  rangeRequest,
  requestOp,
  watchCreateRequest,
  watchRequest,
} from './requests.ts';
