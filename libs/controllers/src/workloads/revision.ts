import type { ControllerRevision } from '@apichain/api/apps/v1';
import type { PodTemplateSpec } from '@apichain/api/core/v1';
import type { Int64 } from '@apichain/api/scalars';
import { type JsonValue, compareText, int64, parseJson } from '@apichain/meta';
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

const numberOf = ({ revision }: ControllerRevision): bigint => BigInt(revision ?? 0);

/** The oldest first. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  const difference = numberOf(a) - numberOf(b);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return (
    compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
    compareText(a.metadata.name ?? '', b.metadata.name ?? '')
  );
}

/** The number of the next revision. Exact also beyond 2^53, which a user may have written. */
export function nextRevision(revisions: readonly ControllerRevision[]): Int64 {
  const numbers = revisions.map(numberOf);
  const next = 1n + numbers.reduce((most, each) => (each > most ? each : most), 0n);
  return int64(next);
}
