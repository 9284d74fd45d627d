import { Server, ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { clusterService } from './cluster.ts';
import type { ServerContext } from './context.ts';
import { kvService } from './kv.ts';
import { leaseService } from './lease.ts';
import type { GrpcServer } from './listener.ts';
import { maintenanceService } from './maintenance.ts';
import { unaryInterceptor } from './unary-interceptor.ts';
import { unimplementedServices } from './unimplemented.ts';
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
