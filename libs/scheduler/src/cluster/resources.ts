import type { Quantity } from '@apichain/api/scalars';
import { parseQuantity } from '@apichain/meta';

type ResourceList = Readonly<Record<string, Quantity>>;

/** Amounts of resources. CPU in thousandths, everything else in whole units: bytes, devices. */
export interface Resources {
  milliCPU: number;
  memory: number;
  ephemeralStorage: number;
  /** Extended resources, huge pages and attachable volumes by name. */
  readonly scalars: Map<string, number>;
}

export const noResources = (): Resources => ({ milliCPU: 0, memory: 0, ephemeralStorage: 0, scalars: new Map() });

/** An amount in the unit in which the scheduler counts the resource. */
export function amountOf(name: string, quantity: Quantity | undefined): number {
  if (quantity === undefined) return 0;
  const parsed = parseQuantity(quantity);
  return Number(name === 'cpu' ? parsed.milliValue() : parsed.value());
}

/** Resources that are counted one by one: those with a prefix, huge pages, attachable volumes. */
const isScalar = (name: string) =>
  name.includes('/') || name.startsWith('hugepages-') || name.startsWith('attachable-volumes-');

export function addResources(sum: Resources, more: Resources, sign: 1 | -1 = 1): void {
  sum.milliCPU += sign * more.milliCPU;
  sum.memory += sign * more.memory;
  sum.ephemeralStorage += sign * more.ephemeralStorage;
  for (const [name, amount] of more.scalars) sum.scalars.set(name, (sum.scalars.get(name) ?? 0) + sign * amount);
}

/** The amounts of a list such as `status.allocatable`. Native resources that the scheduler does not count are left out. */
export function resourcesOf(amounts: ReadonlyMap<string, number>): Resources {
  const resources = noResources();
  for (const [name, amount] of amounts) {
    if (name === 'cpu') resources.milliCPU = amount;
    else if (name === 'memory') resources.memory = amount;
    else if (name === 'ephemeral-storage') resources.ephemeralStorage = amount;
    else if (isScalar(name)) resources.scalars.set(name, amount);
  }
  return resources;
}

/** The amounts by the names that users know, in the order of messages. */
export function* namedAmounts({
  milliCPU,
  memory,
  ephemeralStorage,
  scalars,
}: Resources): Iterable<readonly [string, number]> {
  yield ['cpu', milliCPU];
  yield ['memory', memory];
  yield ['ephemeral-storage', ephemeralStorage];
  yield* scalars;
}

/** The amount of a resource by the name that users know; 0 of what is not there. */
export function amountOfResource({ milliCPU, memory, ephemeralStorage, scalars }: Resources, name: string): number {
  if (name === 'cpu') return milliCPU;
  if (name === 'memory') return memory;
  if (name === 'ephemeral-storage') return ephemeralStorage;
  return scalars.get(name) ?? 0;
}

/** The amounts of a ResourceList by name. */
export const amountsOf = (list: ResourceList | undefined): Map<string, number> =>
  new Map(Object.entries(list ?? {}).map(([name, quantity]) => [name, amountOf(name, quantity)]));
