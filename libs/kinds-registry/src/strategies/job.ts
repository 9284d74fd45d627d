import type { Job, JobSpec } from '@apichain/api/batch/v1';
import { isSet } from '@apichain/meta';
import type { ReadDefaults } from '@apichain/storage';
import type { KindBehaviour } from './behaviour.ts';
import { gatedPodFields } from './gated-pod-fields.ts';
import { podTemplateWarnings, podNamesWarning } from './pod-template-warnings.ts';

const generatedLabels = (job: Job): Record<string, string> => ({
  'batch.kubernetes.io/job-name': job.metadata.name ?? '',
  'job-name': job.metadata.name ?? '',
  'batch.kubernetes.io/controller-uid': job.metadata.uid ?? '',
  'controller-uid': job.metadata.uid ?? '',
});

/** Unless manualSelector is set, a job selects its pods by its uid. */
function generateSelector(job: Job): void {
  const spec = (job.spec ??= {});
  if (spec.manualSelector === true) return;
  const template = (spec.template ??= {});
  const labels = ((template.metadata ??= {}).labels ??= {});
  for (const [name, value] of Object.entries(generatedLabels(job))) labels[name] ??= value;
  const matchLabels = ((spec.selector ??= {}).matchLabels ??= {});
  matchLabels['batch.kubernetes.io/controller-uid'] ??= job.metadata.uid ?? '';
}

/** A job without labels gets the template's labels, including the generated ones, when it is read; they are not stored. */
const templateLabelsWhenRead: ReadDefaults<Job> = {
  // Strings in JSON escape quotes, so `"labels":{` is a member name. If it first occurs after the spec begins, the job may have no labels.
  mayLack: (json) => json.indexOf('"labels":{') > json.indexOf('"spec":{'),
  complete: (job) => {
    const labels = job.spec?.template?.metadata?.labels ?? {};
    const own = Object.keys(job.metadata.labels ?? {}).length;
    return own > 0 || Object.keys(labels).length === 0 ? job : { ...job, metadata: { ...job.metadata, labels } };
  },
};

/** Warns about Indexed Jobs that are too large for Kubernetes to track reliably. `path` is that of the job's spec. */
export function indexedJobWarnings(spec: JobSpec, path: string): string[] {
  const large = (spec.completions ?? 0) > 100_000 && (spec.parallelism ?? 0) > 10_000;
  if (spec.completionMode !== 'Indexed' || !large) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}

export const jobBehaviour: KindBehaviour<Job> = {
  gated: gatedPodFields('spec.template.spec'),
  name: 'subdomain',
  status: 'reset',
  generation: ['spec'],
  prepareForCreate: generateSelector,
  warnings: (job, old) => {
    if (old !== undefined && old.metadata.generation === job.metadata.generation) return [];
    return [
      ...(old === undefined ? podNamesWarning(job) : []),
      ...indexedJobWarnings(job.spec ?? {}, 'spec'),
      ...podTemplateWarnings(job.spec?.template ?? {}, 'spec.template'),
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
