import { ClusterService, type MemberListResponse } from '@apichain/etcd-api/etcdserverpb';
import { headerOf, type ServerContext } from './context.ts';
import { unary } from './unary.ts';

/** The Cluster service, for a cluster of one member. */
export function clusterService(context: ServerContext) {
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
