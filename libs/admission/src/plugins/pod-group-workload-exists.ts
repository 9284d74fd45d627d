import { goQuote } from '@apichain/go-text';
import { record, records, text } from '../fields.ts';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';

/** PodGroups themselves, which are served only where the feature gate GenericWorkload is open. */
export const isPodGroup = ({ resource, subresource }: AdmissionAttributes): boolean =>
  resource.group === 'scheduling.k8s.io' && resource.resource === 'podgroups' && subresource === '';

/** A PodGroup comes from a template of a Workload that is there. After plugin/pkg/admission/podgroup of kubernetes 1.36. */
export class PodGroupWorkloadExists implements AdmissionPlugin {
  readonly name = 'PodGroupWorkloadExists';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const reference = record(record(record(attributes.object?.spec).podGroupTemplateRef).workload);
    const [name, template] = [text(reference.workloadName), text(reference.podGroupTemplateName)];
    if (!isPodGroup(attributes) || Object.keys(reference).length === 0) return;
    const { namespace } = attributes;
    const refuse = (why: string) => forbidden(attributes, `PodGroup rejected: ${why}`);
    const workload =
      (await this.#lookup.get(lookedUp.workloads, namespace, name)) ??
      (await this.#lookup.live(lookedUp.workloads, namespace, name));
    if (workload === undefined) throw refuse(`Workload ${goQuote(name)} not found`);
    if (workload.metadata.deletionTimestamp !== undefined) throw refuse(`Workload ${goQuote(name)} is being deleted`);
    const templates = records(record(workload.spec).podGroupTemplates);
    if (templates.some((candidate) => candidate.name === template)) return;
    throw refuse(`PodGroupTemplate ${goQuote(template)} not found in Workload ${goQuote(name)}`);
  }
}
