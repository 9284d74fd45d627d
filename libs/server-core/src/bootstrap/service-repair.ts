import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { formatMicroTime } from '@apichain/go-text';
import type { RepairEvent, ServiceRepairs } from '@apichain/kinds-registry';
import type { BootstrapContext } from './context.ts';

/** A pass writes at most this many Events. What it found is logged in any case. */
const maxEvents = 100;

const idOf = ({ object, reason, note }: RepairEvent): string => `${object.metadata.uid ?? ''} ${reason} ${note}`;

/**
 * The pass that repairs the node ports and cluster IPs of services. What it finds is logged and told in Events, once for as long as it lasts.
 * After the repair controllers of kube-apiserver: pkg/registry/core/rest/storage_core.go of kubernetes 1.36.
 */
export function serviceRepair(repairs: ServiceRepairs): (context: BootstrapContext) => Promise<void> {
  let told: ReadonlySet<string> = new Set();
  return async (context) => {
    const found = [...(await repairs.clusterIps()), ...(await repairs.nodePorts())];
    const news = found.filter((event) => !told.has(idOf(event)));
    told = new Set(found.map(idOf));
    for (const { object, note } of news) {
      const { namespace, name } = object.metadata;
      context.logger.error({ kind: object.kind, namespace, name }, note);
    }
    for (const event of news.slice(0, maxEvents)) await tell(context, event);
  };
}

/** Writes an Event. One that cannot be written is logged: the repair itself is done. */
async function tell({ client, logger }: BootstrapContext, event: RepairEvent): Promise<void> {
  const { apiVersion, kind } = event.object;
  const { namespace = '', name = '', uid, resourceVersion } = event.object.metadata;
  const now = new Date();
  const eventNamespace = namespace === '' ? 'default' : namespace;
  try {
    await client.create(
      { group: 'events.k8s.io', version: 'v1', resource: 'events', namespace: eventNamespace },
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: `${name}.${randomBytes(8).toString('hex')}`, namespace: eventNamespace },
        eventTime: formatMicroTime(now),
        reportingController: event.controller,
        reportingInstance: `${event.controller}-${hostname()}`,
        action: event.action,
        reason: event.reason,
        regarding: { apiVersion, kind, ...(namespace === '' ? {} : { namespace }), name, uid, resourceVersion },
        note: event.note,
        type: 'Warning',
      },
    );
  } catch (error) {
    logger.warn({ err: error, reason: event.reason }, 'the Event of a repair could not be written');
  }
}
