import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { isPodGroup } from './pod-group-workload-exists.ts';

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
