import type { Job } from '@apichain/api/batch/v1';
import type { Container, PodTemplateSpec } from '@apichain/api/core/v1';
import { deepClone } from '@apichain/meta';
import { completionIndexKey } from './indexes.ts';
import { type IndexView, failureCountAnnotations, isIndexed, trackingFinalizer } from './job-view.ts';

const indexVariable = 'JOB_COMPLETION_INDEX';
/** The longest prefix that the server completes to a name. */
const longestPrefix = 58;

/** The template of a job's pod, and the prefix of its name if it differs from the usual one. */
interface JobPodTemplate {
  readonly template: PodTemplateSpec;
  readonly generateName?: string;
}

/** The template of a pod of the job: with the tracking finalizer, and of an Indexed job with its completion index. */
export function podTemplateOf(job: Job, index: number | undefined, indexes: IndexView | undefined): JobPodTemplate {
  const { spec = {}, metadata } = job;
  const name = metadata.name ?? '';
  const template = deepClone(spec.template ?? {});
  const meta = (template.metadata ??= {});
  meta.finalizers = [...new Set([...(meta.finalizers ?? []), trackingFinalizer])];
  const { spec: podSpec = {} } = template;
  if (isIndexed(spec))
    for (const container of [...(podSpec.initContainers ?? []), ...(podSpec.containers ?? [])])
      addIndexVariable(container);
  if (index === undefined) return { template };
  const own = { [completionIndexKey]: String(index) };
  const failures =
    spec.backoffLimitPerIndex === undefined ? {} : failureCountAnnotations(spec, indexes?.failureCarriers.get(index));
  meta.annotations = { ...meta.annotations, ...own, ...failures };
  meta.labels = { ...meta.labels, ...own };
  podSpec.hostname = `${name}-${index}`;
  const suffix = `-${index}-`;
  return { template, generateName: name.slice(0, longestPrefix - suffix.length) + suffix };
}

function addIndexVariable(container: Container): void {
  const env = (container.env ??= []);
  if (env.some(({ name }) => name === indexVariable)) return;
  const fieldPath = `metadata.labels['${completionIndexKey}']`;
  env.push({ name: indexVariable, valueFrom: { fieldRef: { fieldPath } } });
}
