import { newForbidden, type StatusError } from '@apichain/meta';
import type { AdmissionAttributes } from './plugin.ts';

/**
 * The object's name in a refusal: that of the request, else the object's name or generateName, else `Unknown`. The options of a request that
 * connects have no metadata, but such a request has a name.
 */
function objectName({ name, object }: AdmissionAttributes): string {
  if (name !== '') return name;
  const given = object?.metadata.name ?? '';
  const base = object?.metadata.generateName ?? '';
  return [given, base].find((candidate) => candidate !== '') ?? 'Unknown';
}

/** The 403 of a plugin that rejects a request. Source: NewForbidden of k8s.io/apiserver/pkg/admission. */
export const forbidden = (attributes: AdmissionAttributes, cause: string): StatusError =>
  newForbidden(attributes.resource, objectName(attributes), cause);
