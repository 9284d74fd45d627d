import type { CronJob } from '@apichain/api/batch/v1';
import type { PodTemplate, ReplicationController, PodTemplateSpec } from '@apichain/api/core/v1';
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@apichain/api/apps/v1';
import { type KubeObject, semanticEqual } from '@apichain/meta';
import { labelsScaleSelector, scaleSelector } from '../scale.ts';
import type { KindBehaviour, SubresourceBehaviour } from './behaviour.ts';
import type { GatedFields } from './gated-fields.ts';
import { gatedPodFields } from './gated-pod-fields.ts';
import { indexedJobWarnings } from './job.ts';
import { podTemplateWarnings, podNamesWarning } from './pod-template-warnings.ts';
import { claimSpecWarnings } from './persistentvolumeclaim.ts';

/** The usual status endpoint: status and metadata from the request, everything else from the stored object. */
export const statusOnly: SubresourceBehaviour = { fromOld: ['spec'], metadata: 'request', resetFields: ['spec'] };

const changedGeneration = (object: KubeObject, old: KubeObject | undefined): boolean =>
  old === undefined || object.metadata.generation !== old.metadata.generation;

/** Kinds with a pod template. */
interface Templated extends KubeObject {
  spec?: { template?: PodTemplateSpec };
}

const templateWarnings = (object: Templated, old: Templated | undefined): string[] =>
  changedGeneration(object, old) ? podTemplateWarnings(object.spec?.template ?? {}, 'spec.template') : [];

const namedTemplateWarnings = (object: Templated, old: Templated | undefined): string[] => [
  ...(old === undefined ? podNamesWarning(object) : []),
  ...templateWarnings(object, old),
];

const terminatingReplicas: readonly GatedFields[] = [
  { gate: 'DeploymentReplicaSetTerminatingReplicas', paths: ['status.terminatingReplicas'] },
];

export const deploymentBehaviour: KindBehaviour<Deployment> = {
  scaleSelector,
  gated: gatedPodFields('spec.template.spec'),
  name: 'subdomain',
  status: 'reset',
  generation: ['spec'],
  prepareForUpdate: (deployment, old) => {
    const annotated = !semanticEqual(deployment.metadata.annotations, old.metadata.annotations);
    const changed = !semanticEqual(deployment.spec, old.spec);
    if (annotated && !changed) deployment.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  warnings: namedTemplateWarnings,
  subresources: {
    status: {
      fromOld: ['spec'],
      metadata: 'request',
      resetFields: ['spec', 'metadata.labels'],
      gated: terminatingReplicas,
      prepareForUpdate: (deployment, old) => {
        if (old.metadata.labels === undefined) delete deployment.metadata.labels;
        else deployment.metadata.labels = old.metadata.labels;
      },
    },
  },
};

export const replicaSetBehaviour: KindBehaviour<ReplicaSet> = {
  scaleSelector,
  gated: gatedPodFields('spec.template.spec'),
  name: 'subdomain',
  status: 'reset',
  generation: ['spec'],
  warnings: namedTemplateWarnings,
  subresources: { status: { ...statusOnly, gated: terminatingReplicas } },
};

export const replicationControllerBehaviour: KindBehaviour<ReplicationController> = {
  ...replicaSetBehaviour,
  scaleSelector: labelsScaleSelector,
  subresources: { status: statusOnly },
  // Like kube-apiserver, warns about the stored template on update.
  warnings: (object, old) =>
    changedGeneration(object, old)
      ? [
          ...(old === undefined ? podNamesWarning(object) : []),
          ...podTemplateWarnings((old ?? object).spec?.template ?? {}, 'spec.template'),
        ]
      : [],
  hooks: { defaultGarbageCollectionPolicy: () => 'OrphanDependents' },
};

export const templateGenerationAnnotation = 'deprecated.daemonset.template.generation';

/** apps/v1 carries the template's generation as an annotation. */
function setTemplateGeneration(daemonSet: DaemonSet, value: number): void {
  daemonSet.metadata.annotations = {
    ...(daemonSet.metadata.annotations ?? {}),
    [templateGenerationAnnotation]: String(value),
  };
}

const templateGeneration = (daemonSet: DaemonSet): number => {
  const value = Number(daemonSet.metadata.annotations?.[templateGenerationAnnotation] ?? '0');
  return Number.isSafeInteger(value) ? value : 0;
};

/** Sets the annotation on every DaemonSet of apps/v1; zero if it has none yet. */
export const showTemplateGeneration = (daemonSet: DaemonSet): void =>
  setTemplateGeneration(daemonSet, templateGeneration(daemonSet));

export const daemonSetBehaviour: KindBehaviour<DaemonSet> = {
  gated: gatedPodFields('spec.template.spec'),
  name: 'subdomain',
  status: 'reset',
  generation: ['spec'],
  prepareForCreate: (daemonSet) => setTemplateGeneration(daemonSet, Math.max(1, templateGeneration(daemonSet))),
  prepareForUpdate: (daemonSet, old) => {
    const changed = !semanticEqual(daemonSet.spec?.template, old.spec?.template);
    setTemplateGeneration(daemonSet, templateGeneration(old) + (changed ? 1 : 0));
  },
  warnings: (daemonSet, old) =>
    old === undefined || templateGeneration(daemonSet) !== templateGeneration(old)
      ? podTemplateWarnings(daemonSet.spec?.template ?? {}, 'spec.template')
      : [],
  // The template's generation belongs to the spec although it is an annotation.
  subresources: {
    status: {
      ...statusOnly,
      prepareForUpdate: (daemonSet, old) => setTemplateGeneration(daemonSet, templateGeneration(old)),
    },
  },
};

/** Only the warnings about the template depend on a change; the others are given on every write. */
function statefulSetWarnings(statefulSet: StatefulSet, old: StatefulSet | undefined): string[] {
  const suffix = old === undefined ? '' : '.Spec';
  const claims = (statefulSet.spec?.volumeClaimTemplates ?? []).flatMap((claim, i) =>
    claimSpecWarnings(claim.spec ?? {}, `spec.volumeClaimTemplates[${i}]${suffix}`),
  );
  const negativeHistory =
    (statefulSet.spec?.revisionHistoryLimit ?? 0) < 0
      ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
      : [];
  return [...templateWarnings(statefulSet, old), ...claims, ...negativeHistory];
}

export const statefulSetBehaviour: KindBehaviour<StatefulSet> = {
  scaleSelector,
  gated: [
    { gate: 'MaxUnavailableStatefulSet', paths: ['spec.updateStrategy.rollingUpdate.maxUnavailable'] },
    ...gatedPodFields('spec.template.spec'),
  ],
  name: 'label',
  status: 'reset',
  generation: ['spec'],
  warnings: statefulSetWarnings,
  subresources: { status: statusOnly },
};

function cronJobWarnings(cronJob: CronJob, old: CronJob | undefined): string[] {
  const jobSpec = cronJob.spec?.jobTemplate?.spec ?? {};
  const zoneInSchedule =
    old !== undefined && (cronJob.spec?.schedule ?? '').includes('TZ')
      ? [
          'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
        ]
      : [];
  return [
    ...(old === undefined ? podNamesWarning(cronJob) : []),
    ...(changedGeneration(cronJob, old)
      ? [
          ...indexedJobWarnings(jobSpec, 'spec.jobTemplate.spec'),
          ...podTemplateWarnings(jobSpec.template ?? {}, 'spec.jobTemplate.spec.template'),
        ]
      : []),
    ...zoneInSchedule,
  ];
}

export const cronJobBehaviour: KindBehaviour<CronJob> = {
  gated: gatedPodFields('spec.jobTemplate.spec.template.spec'),
  name: 'subdomain',
  status: 'reset',
  generation: ['spec'],
  warnings: cronJobWarnings,
  subresources: { status: statusOnly },
};

export const podTemplateBehaviour: KindBehaviour<PodTemplate> = {
  gated: gatedPodFields('template.spec'),
  name: 'subdomain',
  status: 'keep',
  generation: ['template'],
  returnDeletedObject: true,
  warnings: (object, old) =>
    changedGeneration(object, old) ? podTemplateWarnings(object.template ?? {}, 'template') : [],
};
