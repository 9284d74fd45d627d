import { parseQuantity, type KubeObject, type RestClient } from '@apichain/extension-server';
import type { MetricsSource } from './metrics.ts';

type Usage = Record<string, string>;
type Container = { name: string; resources?: { requests?: Usage } };
type Pod = KubeObject & { spec: { nodeName?: string; containers: Container[] } };

/** A source for demonstrations: containers of scheduled pods use what they request. */
export function requested(core: RestClient): MetricsSource {
  const list = async (resource: string, namespace: string, signal: AbortSignal) =>
    (await core.list({ group: '', version: 'v1', resource, ...(namespace && { namespace }) }, {}, { signal })).items;
  const scheduled = async (namespace: string, signal: AbortSignal) =>
    ((await list('pods', namespace, signal)) as Pod[]).filter(({ spec }) => spec.nodeName !== undefined);
  const metadataOf = ({ metadata: { name, namespace, labels } }: KubeObject) => ({ name, namespace, labels });
  return {
    async nodes(signal) {
      const pods = Map.groupBy(await scheduled('', signal), ({ spec }) => spec.nodeName);
      return (await list('nodes', '', signal)).map((node) => ({
        metadata: metadataOf(node),
        usage: total((pods.get(node.metadata.name) ?? []).flatMap(({ spec }) => spec.containers)),
      }));
    },
    pods: async (namespace, signal) =>
      (await scheduled(namespace, signal)).map((pod) => ({
        metadata: metadataOf(pod),
        containers: pod.spec.containers.map((one) => ({ name: one.name, usage: total([one]) })),
      })),
  };
}

function total(containers: readonly Container[]): Usage {
  const amountOf = (resource: string) =>
    containers
      .map(({ resources }) => parseQuantity(resources?.requests?.[resource] ?? '0'))
      .reduce((sum, amount) => sum.add(amount), parseQuantity('0'));
  return { cpu: String(amountOf('cpu')), memory: String(amountOf('memory')) };
}
