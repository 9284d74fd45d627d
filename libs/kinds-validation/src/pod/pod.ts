import type { Pod } from '@apichain/api/core/v1';
import {
  field,
  validateObjectMeta,
  nameIsDNSSubdomain,
  validateStandardFinalizers,
  type FieldError,
} from '@apichain/meta';
import { collect, type Out } from '../common/rules.ts';
import { mirrorPod, podAnnotationErrors, profileAnnotationErrors, tokenAccountErrors } from './annotations.ts';
import { checkContainers, type Capabilities } from './context.ts';
import { imageWhitespace } from './containers.ts';
import { podSpecErrors } from './spec.ts';

export const isMirrorPod = (pod: Pod): boolean => pod.metadata.annotations?.[mirrorPod] !== undefined;

/** Checks annotations and spec, for creates and updates. */
function podErrors(out: Out, pod: Pod, old: Pod | undefined, capabilities: Capabilities): void {
  const spec = pod.spec ?? {};
  podAnnotationErrors(out, 'metadata.annotations', pod.metadata, spec, old?.metadata);
  podSpecErrors(out, {
    path: 'spec',
    spec,
    isPod: true,
    podName: pod.metadata.name ?? '',
    isMirror: isMirrorPod(pod),
    ...(old === undefined ? {} : { old: old.spec ?? {} }),
    volumes: new Map(),
    resourceClaims: new Set(),
    capabilities,
  });
  tokenAccountErrors(out, 'spec', spec);
  checkContainers(out, spec, 'spec', (out, container, path) => imageWhitespace(out, path, container), [
    'containers',
    'initContainers',
  ]);
}

/** Checks a new pod: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ */
export function validatePod(pod: Pod, _old: undefined, capabilities: Capabilities): FieldError[] {
  return collect((out) => {
    const spec = pod.spec ?? {};
    podErrors(out, pod, undefined, capabilities);
    if ((spec.ephemeralContainers ?? []).length > 0) {
      out.push(field.forbidden('spec.ephemeralContainers', 'cannot be set on create'));
    }
    if ((spec.nodeName ?? '') !== '' && (spec.schedulingGates ?? []).length > 0) {
      out.push(field.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
    }
    profileAnnotationErrors(out, 'spec', pod.metadata, spec);
  });
}

/** Checks metadata and spec of an existing pod as if it were new. */
export function storedPodErrors(out: Out, pod: Pod, old: Pod, capabilities: Capabilities): void {
  out.push(...validateObjectMeta(pod.metadata, true, nameIsDNSSubdomain, 'metadata'));
  out.push(...validateStandardFinalizers(pod.metadata.finalizers, 'metadata.finalizers'));
  podErrors(out, pod, old, capabilities);
}
