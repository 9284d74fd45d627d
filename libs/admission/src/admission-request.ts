import type { Plain } from '@apichain/meta';
import type { AdmissionAttributes, VersionedResource } from './plugin.ts';
import { requestNamespace } from './rules.ts';

/** The AdmissionRequest of admission.k8s.io/v1 that webhooks and CEL expressions receive, without the objects. */
export function admissionRequest(attributes: AdmissionAttributes, version: VersionedResource): Plain {
  const { kind, resource, subresource, name, operation, user } = attributes;
  const namespace = requestNamespace(attributes);
  const subResource = subresource === '' ? {} : { subResource: subresource };
  return {
    kind: version.kind,
    resource: version.resource,
    ...subResource,
    requestKind: kind,
    requestResource: resource,
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      ...(user.name === '' ? {} : { username: user.name }),
      ...(user.uid === '' ? {} : { uid: user.uid }),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    },
  };
}
