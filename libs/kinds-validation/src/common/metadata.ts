import { field, validateAnnotations, validateLabels, type ObjectMeta } from '@apichain/meta';
import { isNonZero, type Out } from './rules.ts';

const otherFields = [
  ['name', 'name'],
  ['generateName', 'generateName'],
  ['namespace', 'namespace'],
  ['selfLink', 'selfLink'],
  ['uid', 'uID'],
  ['resourceVersion', 'resourceVersion'],
  ['generation', 'generation'],
  ['creationTimestamp', 'creationTimestamp'],
  ['deletionTimestamp', 'deletionTimestamp'],
  ['deletionGracePeriodSeconds', 'deletionGracePeriodSeconds'],
  ['ownerReferences', 'ownerReferences'],
  ['finalizers', 'finalizers'],
  ['managedFields', 'managedFields'],
] as const;

/** Checks labels and annotations only, for the metadata of objects that will be created from a template. */
export function templateMetadataErrors(out: Out, path: string, metadata: ObjectMeta = {}): void {
  out.push(...validateAnnotations(metadata.annotations ?? {}, `${path}.annotations`));
  out.push(...validateLabels(metadata.labels ?? {}, `${path}.labels`));
  for (const [name, shown] of otherFields) {
    if (isNonZero(metadata, name, name === 'deletionGracePeriodSeconds'))
      out.push(field.forbidden(`${path}.${shown}`, 'cannot be set'));
  }
}
