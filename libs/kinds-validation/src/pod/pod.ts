import {
  field,
  validateObjectMeta,
  nameIsDNSSubdomain,
  validateStandardFinalizers,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import { list, record, text } from '@apichain/kinds';
import { collect, type Out } from '../common/rules.ts';
import { mirrorPod, podAnnotationErrors, profileAnnotationErrors, tokenAccountErrors } from './annotations.ts';
import { imageWhitespace } from './containers.ts';
import { checkContainers } from './context.ts';
import { podSpecErrors } from './spec.ts';

export const isMirrorPod = (pod: KubeObject): boolean => pod.metadata.annotations?.[mirrorPod] !== undefined;

/** Annotations and spec: what creates and updates check alike. */
function podErrors(out: Out, pod: KubeObject, old: KubeObject | undefined): void {
  const spec = record(pod.spec);
  podAnnotationErrors(out, 'metadata.annotations', pod.metadata, spec, old?.metadata);
  podSpecErrors(out, {
    path: 'spec',
    spec,
    isPod: true,
    podName: pod.metadata.name ?? '',
    isMirror: isMirrorPod(pod),
    ...(old === undefined ? {} : { old: record(old.spec) }),
    volumes: new Map(),
    resourceClaims: new Set(),
  });
  tokenAccountErrors(out, 'spec', spec);
  checkContainers(out, spec, 'spec', (out, container, path) => imageWhitespace(out, path, container), [
    'containers',
    'initContainers',
  ]);
}

/** A new pod: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ */
export function validatePod(pod: KubeObject): FieldError[] {
  return collect((out) => {
    const spec = record(pod.spec);
    podErrors(out, pod, undefined);
    if (list(spec.ephemeralContainers).length > 0) {
      out.push(field.forbidden('spec.ephemeralContainers', 'cannot be set on create'));
    }
    if (text(spec.nodeName) !== '' && list(spec.schedulingGates).length > 0) {
      out.push(field.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
    }
    profileAnnotationErrors(out, 'spec', pod.metadata, spec);
  });
}

/** Metadata and spec of a pod that exists, checked as if it were new. */
export function storedPodErrors(out: Out, pod: KubeObject, old: KubeObject): void {
  out.push(...validateObjectMeta(pod.metadata, true, nameIsDNSSubdomain, 'metadata'));
  out.push(...validateStandardFinalizers(pod.metadata.finalizers, 'metadata.finalizers'));
  podErrors(out, pod, old);
}
