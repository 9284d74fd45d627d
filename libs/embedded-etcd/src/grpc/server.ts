import { ClusterService, type MemberListResponse } from '@apichain/etcd-api/etcdserverpb';
import { Server, ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { unimplemented } from '../etcd-server-error.ts';
import { headerOf, type ServerContext } from './context.ts';
import { kvService } from './kv.ts';
import { leaseService } from './lease.ts';
import type { GrpcServer } from './listener.ts';
import { maintenanceService } from './maintenance.ts';
import { unaryInterceptor } from './unary-interceptor.ts';
import { unary } from './unary.ts';
import { watchService } from './watch.ts';

/** The size that etcd allows a message in addition to its largest request, in bytes. */
const messageOverhead = 512 * 1024;
const unlimited = -1;

interface Service {
  readonly definition: ServiceDefinition;
  readonly handlers: Readonly<Record<string, object>>;
}

/** Serves etcd's API on connections passed to it. In a separate module, because loading the library is expensive. */
export function openGrpcServer(context: ServerContext): GrpcServer {
  const handlersByPath = new Map<string, object>();
  const server = new Server({
    interceptors: [unaryInterceptor(handlersByPath)],
    'grpc.max_receive_message_length': context.maxRequestBytes + messageOverhead,
    'grpc.max_send_message_length': unlimited,
    // Otherwise the library keeps unused statistics for every call.
    'grpc.enable_channelz': 0,
    // Like etcd: clients may send a keepalive every five seconds.
    'grpc.keepalive_permit_without_calls': 1,
  });
  const add = ({ definition, handlers }: Service) => {
    server.addService(definition, handlers as UntypedServiceImplementation);
    for (const [name, { path }] of Object.entries(definition)) {
      const handler = handlers[name];
      if (handler !== undefined) handlersByPath.set(path, handler);
    }
  };
  add(kvService(context));
  add(watchService(context));
  add(leaseService(context));
  add(clusterService(context));
  add(maintenanceService(context));
  add(unimplementedServices());
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return {
    take: (connection) => {
      injector.injectConnection(connection);
    },
    shutdown: () => {
      server.forceShutdown();
    },
  };
}

/** The Cluster service, for a cluster of one member. */
function clusterService(context: ServerContext) {
  const memberList = unary((): MemberListResponse => {
    const { engine, url } = context;
    const member = {
      ID: engine.identity.memberId,
      name: 'embedded',
      peerURLs: [],
      clientURLs: [url],
      isLearner: false,
    };
    return { header: headerOf(engine), members: [member] };
  });
  return { definition: ClusterService, handlers: { memberList } };
}

/** The calls of etcd's API that are not implemented, grouped by feature. */
const refused: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  authentication: {
    Auth: [
      ...['AuthEnable', 'AuthDisable', 'AuthStatus', 'Authenticate'],
      ...['UserAdd', 'UserGet', 'UserList', 'UserDelete', 'UserChangePassword', 'UserGrantRole', 'UserRevokeRole'],
      ...['RoleAdd', 'RoleGet', 'RoleList', 'RoleDelete', 'RoleGrantPermission', 'RoleRevokePermission'],
    ],
  },
  clustering: {
    Cluster: ['MemberAdd', 'MemberRemove', 'MemberUpdate', 'MemberPromote'],
    Maintenance: ['MoveLeader'],
  },
  downgrade: { Maintenance: ['Downgrade'] },
};

const asIs = (bytes: Buffer) => bytes;

/** Rejects those calls with UNIMPLEMENTED and the name of the feature. Any other unknown call gets gRPC's own error, which names the call. */
function unimplementedServices(): { definition: ServiceDefinition; handlers: UntypedServiceImplementation } {
  const definition: Record<string, ServiceDefinition[string]> = {};
  const handlers: UntypedServiceImplementation = {};
  for (const [feature, services] of Object.entries(refused)) {
    for (const [service, methods] of Object.entries(services)) {
      for (const method of methods) {
        const name = `${service}.${method}`;
        definition[name] = {
          path: `/etcdserverpb.${service}/${method}`,
          requestStream: false,
          responseStream: false,
          requestSerialize: asIs,
          requestDeserialize: asIs,
          responseSerialize: asIs,
          responseDeserialize: asIs,
        };
        handlers[name] = unary(() => {
          throw unimplemented(method, feature);
        });
      }
    }
  }
  return { definition, handlers };
}
