import { goQuote } from '@apichain/go-text';
import type { PodGroup, Workload } from '@apichain/api/scheduling/v1alpha2';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';

/** A write of a PodGroup itself. PodGroups are served only with the feature gate GenericWorkload. */
export const isPodGroup = (attributes: AdmissionAttributes): attributes is AdmissionAttributes<PodGroup> =>
  attributes.subresource === '' && isAbout(attributes, 'podgroups.scheduling.k8s.io');

/** A PodGroup must name a template of an existing Workload. After plugin/pkg/admission/podgroup of kubernetes 1.36. */
export class PodGroupWorkloadExists implements AdmissionPlugin {
  readonly name = 'PodGroupWorkloadExists';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isPodGroup(attributes)) return;
    const reference = attributes.object?.spec?.podGroupTemplateRef?.workload ?? {};
    if (Object.keys(reference).length === 0) return;
    const { workloadName: name = '', podGroupTemplateName: template = '' } = reference;
    const { namespace } = attributes;
    const refuse = (why: string) => forbidden(attributes, `PodGroup rejected: ${why}`);
    const workload: Workload | undefined =
      (await this.#lookup.get(lookedUp.workloads, namespace, name)) ??
      (await this.#lookup.live(lookedUp.workloads, namespace, name));
    if (workload === undefined) throw refuse(`Workload ${goQuote(name)} not found`);
    if (workload.metadata.deletionTimestamp !== undefined) throw refuse(`Workload ${goQuote(name)} is being deleted`);
    const templates = workload.spec?.podGroupTemplates ?? [];
    if (templates.some((candidate) => candidate.name === template)) return;
    throw refuse(`PodGroupTemplate ${goQuote(template)} not found in Workload ${goQuote(name)}`);
  }
}

const finalizer = 'scheduling.k8s.io/podgroup-protection';

/**
 * Adds a finalizer to PodGroups, so that they are kept while pods use them. After
 * plugin/pkg/admission/scheduling/podgroupprotection of kubernetes 1.36.
 */
export class PodGroupProtection implements AdmissionPlugin {
  readonly name = 'PodGroupProtection';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);

  admit(attributes: AdmissionAttributes): void {
    const { object } = attributes;
    if (!isPodGroup(attributes) || object === undefined) return;
    const present = object.metadata.finalizers ?? [];
    if (!present.includes(finalizer)) object.metadata.finalizers = [...present, finalizer];
  }
}
