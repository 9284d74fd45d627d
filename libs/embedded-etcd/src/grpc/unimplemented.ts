import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { unimplemented } from '../etcd-server-error.ts';
import { unary } from './unary.ts';

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
export function unimplementedServices(): { definition: ServiceDefinition; handlers: UntypedServiceImplementation } {
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
