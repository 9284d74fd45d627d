import type { CronJob, Job } from '@apichain/api/batch/v1';
import type { Pod, PodTemplate, PodTemplateSpec } from '@apichain/api/core/v1';
import type { GroupResource, KubeObject } from '@apichain/meta';
import type { CheckedPod } from './check.ts';

/** Kinds with the pod template at the usual place, `spec.template`. */
interface Templated extends KubeObject {
  spec?: { readonly template?: PodTemplateSpec };
}

const inSpec = (object: KubeObject): PodTemplateSpec | undefined => {
  const { spec }: Templated = object;
  return spec?.template;
};
const ofPodTemplate = (object: KubeObject): PodTemplateSpec | undefined => {
  const { template }: PodTemplate = object;
  return template;
};
const ofCronJob = (object: KubeObject): PodTemplateSpec | undefined => {
  const { spec }: CronJob = object;
  const job: Pick<Job, 'spec'> | undefined = spec?.jobTemplate;
  return job?.spec?.template;
};

/** The location of the pod template in each resource. */
const templates: ReadonlyMap<string, (object: KubeObject) => PodTemplateSpec | undefined> = new Map([
  ['/podtemplates', ofPodTemplate],
  ['/replicationcontrollers', inSpec],
  ['apps/replicasets', inSpec],
  ['apps/deployments', inSpec],
  ['apps/statefulsets', inSpec],
  ['apps/daemonsets', inSpec],
  ['batch/jobs', inSpec],
  ['batch/cronjobs', ofCronJob],
]);

const templateIn = ({ group, resource }: GroupResource) => templates.get(`${group}/${resource}`);
export const makesPods = (resource: GroupResource): boolean => templateIn(resource) !== undefined;

/** The pod that an object will create; undefined when the object has no template. */
export function podTemplateOf(resource: GroupResource, object: KubeObject): CheckedPod | undefined {
  const template = templateIn(resource)?.(object);
  return template === undefined ? undefined : checkedPod(template);
}

export const checkedPod = ({ metadata, spec }: Pod | PodTemplateSpec): CheckedPod => ({
  metadata: metadata ?? {},
  spec: spec ?? {},
});
