import type { KubeObject } from '@apichain/meta';
import type { ReadDefaults } from '@apichain/storage';
import { at, ensureRecord, integer, isSet, type Plain, record, textMap } from '@apichain/kinds';
import type { KindBehaviour } from './behaviour.ts';
import { gatedPodFields } from './gated-pod-fields.ts';
import { podNamesWarning } from './pod-name-warnings.ts';
import { podTemplateWarnings } from './pod-template-warnings.ts';

const generatedLabels = (job: KubeObject): Record<string, string> => ({
  'batch.kubernetes.io/job-name': job.metadata.name ?? '',
  'job-name': job.metadata.name ?? '',
  'batch.kubernetes.io/controller-uid': job.metadata.uid ?? '',
  'controller-uid': job.metadata.uid ?? '',
});

/** A job that does not choose its own selector selects its pods by its uid. */
function generateSelector(job: KubeObject): void {
  const spec = ensureRecord(job, 'spec');
  if (spec.manualSelector === true) return;
  const template = ensureRecord(spec, 'template');
  const labels = ensureRecord(ensureRecord(template, 'metadata'), 'labels');
  for (const [name, value] of Object.entries(generatedLabels(job))) labels[name] ??= value;
  const matchLabels = ensureRecord(ensureRecord(spec, 'selector'), 'matchLabels');
  matchLabels['batch.kubernetes.io/controller-uid'] ??= job.metadata.uid ?? '';
}

/** A job that has no labels of its own when its template gets generated ones is stored without, and read with those. */
const templateLabelsWhenRead: ReadDefaults = {
  // Nothing that a client names stands in quotes before a brace: the first such labels are the job's own, or come after its metadata.
  mayLack: (json) => json.indexOf('"labels":{') > json.indexOf('"spec":{'),
  complete: (job) => {
    const labels = textMap(at(job.spec, 'template', 'metadata', 'labels'));
    const own = Object.keys(record(job.metadata.labels)).length;
    return own > 0 || Object.keys(labels).length === 0 ? job : { ...job, metadata: { ...job.metadata, labels } };
  },
};

/** Indexed jobs of a size that Kubernetes may lose track of. `path` is where the job's spec stands. */
export function indexedJobWarnings(spec: Plain, path: string): string[] {
  const large = integer(spec.completions) > 100_000 && integer(spec.parallelism) > 10_000;
  if (spec.completionMode !== 'Indexed' || !large) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}

export const jobBehaviour: KindBehaviour = {
  gated: gatedPodFields('spec.template.spec'),
  name: 'subdomain',
  status: 'reset',
  generation: ['spec'],
  prepareForCreate: generateSelector,
  warnings: (job, old) => {
    if (old !== undefined && old.metadata.generation === job.metadata.generation) return [];
    return [
      ...(old === undefined ? podNamesWarning(job) : []),
      ...indexedJobWarnings(record(job.spec), 'spec'),
      ...podTemplateWarnings(record(at(job.spec, 'template')), 'spec.template'),
    ];
  },
  hooks: {
    readDefaults: templateLabelsWhenRead,
    defaultGarbageCollectionPolicy: () => 'OrphanDependents',
    warningsOnDelete: (_ctx, options) =>
      isSet(options.propagationPolicy) || isSet(options.orphanDependents)
        ? []
        : [
            'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
          ],
  },
  subresources: { status: { fromOld: ['spec'], metadata: 'request', resetFields: ['spec'] } },
};
