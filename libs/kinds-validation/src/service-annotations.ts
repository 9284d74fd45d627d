import type { Service } from '@apichain/api/core/v1';
import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { legacyCidrMessages } from './cidr.ts';
import { checkEach, collect, invalidEach } from './common/rules.ts';

const topologyMode = 'service.kubernetes.io/topology-mode';
const topologyHints = 'service.kubernetes.io/topology-aware-hints';
const sourceRanges = 'service.beta.kubernetes.io/load-balancer-source-ranges';

const pathOf = (annotation: string): string => `metadata.annotations[${annotation}]`;

/** The annotation and its deprecated predecessor must have the same value when both are set. */
export function topologyAnnotationErrors({ metadata }: KubeObject): FieldError[] {
  const mode = metadata.annotations?.[topologyMode];
  const hints = metadata.annotations?.[topologyHints];
  return mode === undefined || hints === undefined || mode === hints
    ? []
    : [field.invalid(pathOf(topologyMode), mode, `must match annotations[${topologyHints}] when both are specified`)];
}

/** Checks the annotation with the source ranges of a load balancer; it is used when the field of the spec is empty. */
export function sourceRangeAnnotationErrors(service: Service, old: Service | undefined): FieldError[] {
  const value = service.metadata.annotations?.[sourceRanges];
  const spec = service.spec ?? {};
  if (value === undefined || (spec.loadBalancerSourceRanges ?? []).length > 0) return [];
  const path = pathOf(sourceRanges);
  return collect((out) => {
    if (spec.type !== 'LoadBalancer') {
      out.push(field.forbidden(path, "may only be used when `type` is 'LoadBalancer'"));
    }
    if (value.trim() === '' || old?.metadata.annotations?.[sourceRanges] === value) return;
    checkEach(
      out,
      value.split(',').map((part) => part.trim()),
      (out, range) => {
        invalidEach(out, path, range, legacyCidrMessages(range));
      },
    );
  });
}
