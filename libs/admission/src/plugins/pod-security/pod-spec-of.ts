import type { GroupResource, KubeObject } from '@apichain/meta';
import { isRecord, record, type Plain } from '../../fields.ts';
import type { CheckedPod } from './check.ts';

/** Where each resource keeps the template of its pods. */
const templatePaths: ReadonlyMap<string, readonly string[]> = new Map([
  ['/podtemplates', ['template']],
  ['/replicationcontrollers', ['spec', 'template']],
  ['apps/replicasets', ['spec', 'template']],
  ['apps/deployments', ['spec', 'template']],
  ['apps/statefulsets', ['spec', 'template']],
  ['apps/daemonsets', ['spec', 'template']],
  ['batch/jobs', ['spec', 'template']],
  ['batch/cronjobs', ['spec', 'jobTemplate', 'spec', 'template']],
]);

const pathOf = ({ group, resource }: GroupResource) => templatePaths.get(`${group}/${resource}`);
export const makesPods = (resource: GroupResource): boolean => pathOf(resource) !== undefined;

/** The pod that an object will make, undefined when it has no template. */
export function podTemplateOf(resource: GroupResource, object: KubeObject): CheckedPod | undefined {
  let template: unknown = object;
  for (const name of pathOf(resource) ?? []) template = record(template)[name];
  return isRecord(template) ? checkedPod(template) : undefined;
}

export const checkedPod = (pod: Plain): CheckedPod => ({
  metadata: record(pod.metadata),
  spec: record(pod.spec),
});
