import type { Pod } from '@apichain/api/core/v1';
import { parseQuantity } from '@apichain/meta';
import { type ContainerView, containersOf } from '../pods/containers.ts';
import { intentionsOf } from '../pods/annotations.ts';

/** Cores and bytes. */
export interface Usage {
  readonly cpu: number;
  readonly memory: number;
}

/** What a container uses that requests nothing, and a node without pods. */
const least: Usage = { cpu: 0.001, memory: 8 << 20 };
const nodeItself: Usage = { cpu: 0.1, memory: 256 << 20 };

/** What the running containers of a pod use: what an annotation says, else what they request. */
export function podUsage(pod: Pod): { readonly name: string; readonly usage: Usage }[] {
  return containersOf({ pod, intentions: intentionsOf(pod) })
    .filter(({ status }) => status.state?.running !== undefined)
    .map((container) => ({ name: container.name, usage: containerUsage(container) }));
}

function containerUsage({ spec, intention }: ContainerView): Usage {
  const requested = (name: 'cpu' | 'memory') => {
    const quantity = spec.resources?.requests?.[name];
    return quantity === undefined ? least[name] : parseQuantity(quantity).asApproximateFloat();
  };
  return { cpu: intention.cpu ?? requested('cpu'), memory: intention.memory ?? requested('memory') };
}

/** What a node uses: something itself, and what its pods use. */
export function nodeUsage(pods: readonly Pod[]): Usage {
  return pods
    .flatMap(podUsage)
    .reduce((sum, { usage }) => ({ cpu: sum.cpu + usage.cpu, memory: sum.memory + usage.memory }), nodeItself);
}

/** The usage as metrics-server writes it: nanocores and KiB. */
export const usageQuantities = ({ cpu, memory }: Usage): { readonly cpu: string; readonly memory: string } => ({
  cpu: `${Math.round(cpu * 1e9)}n`,
  memory: `${Math.round(memory / 1024)}Ki`,
});
