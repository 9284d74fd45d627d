import type { ControllerRevision } from '@apichain/api/apps/v1';
import type { PodTemplateSpec } from '@apichain/api/core/v1';
import { type JsonValue, compareText, integer, parseJson } from '@apichain/meta';
import { fnv32, goJson, safeEncode } from './hash.ts';

/** ControllerRevisions: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/ */

/** The label of pods with the name or the hash of their revision. */
export const revisionLabel = 'controller-revision-hash';

/** What a revision keeps: a strategic merge patch that restores a template. Its members are sorted, as kube-controller-manager writes them. */
export function revisionData(template: PodTemplateSpec | undefined): JsonValue {
  return parseJson(goJson({ spec: { template: { ...template, $patch: 'replace' } } })) as JsonValue;
}

/** Whether a revision restores what `data` does. */
export const hasData = ({ data }: ControllerRevision, wanted: JsonValue): boolean => goJson(data) === goJson(wanted);

/** The template that a revision restores. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { spec } = (data ?? {}) as { spec?: { template?: PodTemplateSpec & { $patch?: string } } };
  const { $patch: _, ...template } = spec?.template ?? {};
  return template;
}

/** The hash in the name of a StatefulSet's revision. */
export const revisionHash = (data: JsonValue, collisionCount: number): string =>
  safeEncode(fnv32(`${goJson(data)}${collisionCount}`));

/** The oldest first. */
export const byRevision = (a: ControllerRevision, b: ControllerRevision): number =>
  integer(a.revision) - integer(b.revision) ||
  compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  compareText(a.metadata.name ?? '', b.metadata.name ?? '');

/** The number of the next revision. */
export const nextRevision = (revisions: readonly ControllerRevision[]): number =>
  1 + Math.max(0, ...revisions.map(({ revision }) => integer(revision)));
