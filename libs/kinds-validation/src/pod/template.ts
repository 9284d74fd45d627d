import type { PodTemplateSpec } from '@apichain/api/core/v1';
import { field, validateAnnotations, validateLabels } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { type Out } from '../common/rules.ts';
import { podAnnotationErrors, profileAnnotationErrors } from './annotations.ts';
import type { Capabilities } from './context.ts';
import { podSpecErrors } from './spec.ts';

/** Checks labels and annotations of a template; the paths of errors do not contain `metadata`. */
export function templateLabelErrors(out: Out, path: string, template: PodTemplateSpec): void {
  const metadata = template.metadata ?? {};
  out.push(...validateLabels(metadata.labels ?? {}, `${path}.labels`));
  out.push(...validateAnnotations(metadata.annotations ?? {}, `${path}.annotations`));
  podAnnotationErrors(out, `${path}.annotations`, metadata, template.spec ?? {});
}

/** Checks a pod template; `old` is the stored template in an update. */
export function podTemplateErrors(
  out: Out,
  path: string,
  value: PodTemplateSpec | undefined,
  old: PodTemplateSpec | undefined,
  capabilities: Capabilities,
): void {
  const template = value ?? {};
  const spec = template.spec ?? {};
  const specPath = `${path}.spec`;
  templateLabelErrors(out, path, template);
  podSpecErrors(out, {
    path: specPath,
    spec,
    isPod: false,
    podName: '',
    isMirror: false,
    ...(old === undefined ? {} : { old: old.spec ?? {} }),
    volumes: new Map(),
    resourceClaims: new Set(),
    capabilities,
  });
  profileAnnotationErrors(out, specPath, template.metadata, spec);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    out.push(field.forbidden(`${specPath}.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  }
}

/** Checks templates of controllers that keep pods running. `controller` is the kind in the message. */
export function alwaysRunningErrors(
  out: Out,
  path: string,
  template: PodTemplateSpec | undefined,
  controller: string,
): void {
  const spec = template?.spec ?? {};
  if (spec.restartPolicy !== 'Always') {
    out.push(field.notSupported(`${path}.spec.restartPolicy`, spec.restartPolicy ?? '', ['Always']));
  }
  if (isSet(spec.activeDeadlineSeconds)) {
    const detail = `activeDeadlineSeconds in ${controller} is not Supported`;
    out.push(field.forbidden(`${path}.spec.activeDeadlineSeconds`, detail));
  }
}
