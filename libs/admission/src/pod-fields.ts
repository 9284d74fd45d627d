import type { Container, Pod, PodSpec, ResourceRequirements } from '@apichain/api/core/v1';
import { isAbout, type AdmissionAttributes } from './plugin.ts';

/** A write of a pod, not of one of its subresources. */
export const isPod = (attributes: AdmissionAttributes): attributes is AdmissionAttributes<Pod> =>
  attributes.subresource === '' && isAbout(attributes, 'pods');

export const podSpec = (pod: Pod | undefined): PodSpec => pod?.spec ?? {};
export const containersOf = (spec: PodSpec): Container[] => spec.containers ?? [];
export const initContainersOf = (spec: PodSpec): Container[] => spec.initContainers ?? [];
/** Every kind of container, in the order in which Kubernetes visits them for checks. */
export const allContainersOf = (spec: PodSpec): Container[] => [
  ...initContainersOf(spec),
  ...containersOf(spec),
  ...(spec.ephemeralContainers ?? []),
];

/** Whether a pod has the QoS class BestEffort, computed as admission plugins do. */
export function isBestEffort(spec: PodSpec): boolean {
  const asks = (resources: ResourceRequirements | undefined) =>
    [resources?.requests, resources?.limits].some((half) =>
      ['cpu', 'memory'].some((name) => Object.hasOwn(half ?? {}, name)),
    );
  const parts = [...containersOf(spec), ...initContainersOf(spec)];
  return !asks(spec.resources) && !parts.some((part) => asks(part.resources));
}
