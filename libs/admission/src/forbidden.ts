import { newForbidden, type StatusError } from '@apichain/meta';
import type { AdmissionAttributes } from './plugin.ts';

/** The object's name in a refusal: its name, else its generateName, else `Unknown`. */
function objectName({ name, object }: AdmissionAttributes): string {
  const given = object?.metadata.name ?? '';
  const base = object?.metadata.generateName ?? '';
  return [name, given, base].find((candidate) => candidate !== '') ?? 'Unknown';
}

/** The 403 of a plugin that rejects a request. Source: NewForbidden of k8s.io/apiserver/pkg/admission. */
export const forbidden = (attributes: AdmissionAttributes, cause: string): StatusError =>
  newForbidden(attributes.resource, objectName(attributes), cause);
