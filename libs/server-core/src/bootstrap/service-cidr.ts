import { formatTime } from '@apichain/go-text';
import { isRecord, isStatusError } from '@apichain/meta';
import { find, type BootstrapContext } from './context.ts';

const ref = { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs' };
const apiVersion = 'networking.k8s.io/v1';
const name = 'kubernetes';

/** Ensures the ServiceCIDR of `--service-cluster-ip-range`: https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/ */
export async function ensureServiceCidr({ client, logger }: BootstrapContext, cidrs: readonly string[]): Promise<void> {
  const present = await find(client, ref, name);
  if (present === undefined) {
    try {
      await client.create(ref, { apiVersion, kind: 'ServiceCIDR', metadata: { name }, spec: { cidrs: [...cidrs] } });
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
  } else {
    const stored = specCidrs(present.spec);
    if (stored.length === 1 && cidrs.length === 2 && stored[0] === cidrs[0]) {
      await client.update(ref, { ...present, spec: { cidrs: [...cidrs] } });
    } else if (stored.join() !== cidrs.join()) {
      logger.warn({ stored, cidrs }, 'the default ServiceCIDR differs from --service-cluster-ip-range');
    }
    if (isReady(present.status)) return;
  }
  await reportReady(client);
}

const specCidrs = (spec: unknown): string[] =>
  isRecord(spec) && Array.isArray(spec.cidrs) ? spec.cidrs.map((cidr) => String(cidr)) : [];

function isReady(status: unknown): boolean {
  const conditions: unknown[] = isRecord(status) && Array.isArray(status.conditions) ? status.conditions : [];
  return conditions.some((condition) => isRecord(condition) && condition.type === 'Ready');
}

async function reportReady(client: BootstrapContext['client']): Promise<void> {
  await client.request(
    'PATCH',
    `/apis/${apiVersion}/servicecidrs/${name}/status`,
    { fieldManager: 'kubernetes-service-cidr-controller', force: true },
    {
      apiVersion,
      kind: 'ServiceCIDR',
      metadata: { name },
      status: {
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            message: 'Kubernetes default Service CIDR is ready',
            lastTransitionTime: formatTime(new Date()),
          },
        ],
      },
    },
    'application/apply-patch+yaml',
  );
}
