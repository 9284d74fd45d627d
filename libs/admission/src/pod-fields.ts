import type { KubeObject } from '@apichain/meta';
import type { AdmissionAttributes } from './plugin.ts';
import { record, records, type Plain } from './fields.ts';

/** A write of a pod itself, not of one of its subresources. */
export const isPod = ({ resource, subresource }: AdmissionAttributes): boolean =>
  subresource === '' && resource.resource === 'pods' && resource.group === '';

export const podSpec = (pod: KubeObject | undefined): Plain => record(pod?.spec);
export const containersOf = (spec: Plain): Plain[] => records(spec.containers);
export const initContainersOf = (spec: Plain): Plain[] => records(spec.initContainers);
/** Every kind of container, in the order in which Kubernetes visits them for checks. */
export const allContainersOf = (spec: Plain): Plain[] => [
  ...initContainersOf(spec),
  ...containersOf(spec),
  ...records(spec.ephemeralContainers),
];

/** The class of service that a pod gets, as far as plugins care. */
export function isBestEffort(spec: Plain): boolean {
  const asks = (resources: unknown) =>
    ['requests', 'limits'].some((half) =>
      ['cpu', 'memory'].some((name) => Object.hasOwn(record(record(resources)[half]), name)),
    );
  return ![...containersOf(spec), ...initContainersOf(spec), spec].some((part) => asks(part.resources));
}
