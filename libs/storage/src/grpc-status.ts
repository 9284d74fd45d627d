export { grpcStatus, isGrpcStatus, type GrpcStatus } from '@apichain/embedded-etcd/grpc-status';
