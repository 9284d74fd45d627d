import { field, validateAnnotations, validateLabels } from '@apichain/meta';
import { list, type Plain, record, textMap } from '@apichain/kinds';
import { type Out } from '../common/rules.ts';
import { podAnnotationErrors, profileAnnotationErrors } from './annotations.ts';
import type { Capabilities } from './capabilities.ts';
import { podSpecErrors } from './spec.ts';

/** Labels and annotations of a template, reported without `metadata` in the path. */
export function templateLabelErrors(out: Out, path: string, template: Plain): void {
  const metadata = record(template.metadata);
  out.push(...validateLabels(textMap(metadata.labels), `${path}.labels`));
  out.push(...validateAnnotations(textMap(metadata.annotations), `${path}.annotations`));
  podAnnotationErrors(out, `${path}.annotations`, metadata, record(template.spec));
}

/** What pods are made from; `old` is the stored template of an update. */
export function podTemplateErrors(
  out: Out,
  path: string,
  value: unknown,
  old: unknown,
  capabilities: Capabilities,
): void {
  const template = record(value);
  const spec = record(template.spec);
  const specPath = `${path}.spec`;
  templateLabelErrors(out, path, template);
  podSpecErrors(out, {
    path: specPath,
    spec,
    isPod: false,
    podName: '',
    isMirror: false,
    ...(old === undefined ? {} : { old: record(record(old).spec) }),
    volumes: new Map(),
    resourceClaims: new Set(),
    capabilities,
  });
  profileAnnotationErrors(out, specPath, template.metadata, spec);
  if (list(spec.ephemeralContainers).length > 0) {
    out.push(field.forbidden(`${specPath}.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  }
}

/** Templates of controllers that keep pods running. `controller` is the kind as the message names it. */
export function alwaysRunningErrors(out: Out, path: string, template: unknown, controller: string): void {
  const spec = record(record(template).spec);
  if (spec.restartPolicy !== 'Always') {
    out.push(field.notSupported(`${path}.spec.restartPolicy`, spec.restartPolicy ?? '', ['Always']));
  }
  if (spec.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds !== null) {
    const detail = `activeDeadlineSeconds in ${controller} is not Supported`;
    out.push(field.forbidden(`${path}.spec.activeDeadlineSeconds`, detail));
  }
}
