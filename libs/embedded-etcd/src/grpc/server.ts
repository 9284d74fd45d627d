import { Server, ServerCredentials } from '@grpc/grpc-js';
import { clusterService } from './cluster.ts';
import type { ServerContext } from './context.ts';
import { kvService } from './kv.ts';
import { leaseService } from './lease.ts';
import type { GrpcServer } from './listener.ts';
import { maintenanceService } from './maintenance.ts';
import { unimplementedServices } from './unimplemented.ts';
import { watchService } from './watch.ts';

/** What etcd allows a message beyond its largest request. */
const messageOverhead = 512 * 1024;
const unlimited = -1;

/** etcd's API for connections that are handed to it. In a module of its own because of what loading the library costs. */
export function openGrpcServer(context: ServerContext): GrpcServer {
  const server = new Server({
    'grpc.max_receive_message_length': context.maxRequestBytes + messageOverhead,
    'grpc.max_send_message_length': unlimited,
    // Statistics that nobody here reads, kept for every call.
    'grpc.enable_channelz': 0,
    // As etcd: clients may ask for a sign of life every five seconds.
    'grpc.keepalive_permit_without_calls': 1,
  });
  const add = ({ definition, handlers }: { definition: object; handlers: object }) => {
    server.addService(
      definition as Parameters<Server['addService']>[0],
      handlers as Parameters<Server['addService']>[1],
    );
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
