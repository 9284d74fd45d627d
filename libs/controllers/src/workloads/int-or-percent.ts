import type { IntOrString } from '@apichain/api/scalars';

/** A number, or a percentage of `total`, rounded up or down. What is neither, and what is absent, is 0: validation refuses it. */
export function scaledValue(value: IntOrString | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = /^([0-9]+)%$/.exec(value ?? '')?.[1];
  if (percent === undefined) return 0;
  const exact = (Number(percent) * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
