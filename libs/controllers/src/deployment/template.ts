import type { Deployment, ReplicaSet } from '@apichain/api/apps/v1';
import type { PodTemplateSpec } from '@apichain/api/core/v1';
import { compareText, semanticEqual } from '@apichain/meta';
import { fnv32a, goJson, safeEncode } from '../workloads/hash.ts';

/** The label that tells the pods and ReplicaSets of different templates apart. */
export const templateHashLabel = 'pod-template-hash';

/** A template without the label that a Deployment adds to it. */
export function withoutTemplateHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [templateHashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

/** Whether two templates make the same pods. */
export const equalTemplates = (a: PodTemplateSpec = {}, b: PodTemplateSpec = {}): boolean =>
  semanticEqual(withoutTemplateHash(a), withoutTemplateHash(b));

/** The hash of a template in the names of its ReplicaSet. Each collision changes it. */
export const templateHash = (template: PodTemplateSpec, collisionCount: number | undefined): string =>
  safeEncode(fnv32a(`${goJson(template)}${collisionCount ?? ''}`));

/** The ReplicaSets of a Deployment: the one with its template, if there is one, and those with former templates, each oldest first. */
export interface ReplicaSetsOfDeployment {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** Finds the ReplicaSet with the template of a Deployment. Of several with that template, the oldest counts. */
export function sortReplicaSets(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSetsOfDeployment {
  const sorted = sets.toSorted(byCreation);
  const current = sorted.find(({ spec }) => equalTemplates(spec?.template, deployment.spec?.template));
  return { current, old: sorted.filter((set) => set !== current) };
}

/** The oldest first. */
export const byCreation = ({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number =>
  compareText(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || compareText(a.name ?? '', b.name ?? '');
