import { controller, kinds, setStatusCondition } from 'apichain/client';
import { Website } from './website.ts';

/** The names of sites, as a server outside of the cluster knows them. */
export interface NameServer {
  set(host: string, service: string): Promise<void>;
  remove(host: string): Promise<void>;
}

/** Serves every Website with a Deployment, and gives it its name as long as it exists. */
export const websiteController = (names: NameServer) =>
  controller({
    for: Website,
    owns: [kinds.Deployment],
    finalizer: { name: 'example.com/host', finalize: ({ object }) => names.remove(object.spec.host) },
  }).reconcile(async ({ object, apply, updateStatus, event }) => {
    const { name } = object.metadata;
    const { image, host, replicas = 1 } = object.spec;
    const labels = { website: name };
    await names.set(host, name);
    const { status } = await apply(kinds.Deployment, {
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'server', image }] } },
      },
    });
    const readyReplicas = status?.readyReplicas ?? 0;
    const ready = { type: 'Ready', status: readyReplicas === replicas, reason: 'Replicas' };
    const conditions = setStatusCondition(object, { ...ready, message: `${readyReplicas} of ${replicas} are ready` });
    await updateStatus({ readyReplicas, conditions });
    if (ready.status) event('Normal', 'Ready', `${host} is served`);
  });
