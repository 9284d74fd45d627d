import { AuthorizerValue, dynamicValue, PendingAuthorization, ResourceCheck } from '@apichain/cel';
import type { Authorizer } from '@apichain/authz';
import type { KubeObject } from '@apichain/meta';
import { admissionRequest } from '../admission-request.ts';
import type { AdmissionAttributes, VersionedResource } from '../plugin.ts';
import { requestNamespace } from '../rules.ts';
import type { VersionedObjects } from '../selection.ts';
import { RequestAuthorizer } from './authorizer.ts';

/** The inputs of an evaluation. */
export interface Evaluation {
  readonly attributes: AdmissionAttributes;
  readonly version: VersionedResource;
  readonly objects: VersionedObjects;
  readonly authorizer: Authorizer | RequestAuthorizer;
  readonly namespace?: KubeObject;
  readonly params?: KubeObject;
}

type Values = Map<string, ReturnType<typeof dynamicValue>>;

/** The variables of an admission expression, except `variables`. */
export function activation(evaluation: Evaluation): Values {
  const { attributes, version, objects, namespace, params } = evaluation;
  const { authorize } = requestAuthorizer(evaluation);
  const { dryRun, options } = attributes;
  const request = { ...admissionRequest(attributes, version), dryRun, options: options ?? null };
  return new Map<string, ReturnType<typeof dynamicValue>>([
    ['object', dynamicValue(objects.object)],
    ['oldObject', dynamicValue(objects.oldObject)],
    ['request', dynamicValue(request)],
    ['namespaceObject', dynamicValue(namespace === undefined ? null : exposed(namespace))],
    ['params', dynamicValue(params)],
    ['authorizer', new AuthorizerValue(authorize, {})],
    ['authorizer.requestResource', new ResourceCheck(authorize, requestResource(attributes))],
  ]);
}

const requestAuthorizer = ({ authorizer, attributes }: Evaluation): RequestAuthorizer =>
  authorizer instanceof RequestAuthorizer ? authorizer : new RequestAuthorizer(authorizer, attributes.user);

const requestResource = (attributes: AdmissionAttributes) => ({
  group: attributes.resource.group,
  resource: attributes.resource.resource,
  subresource: attributes.subresource,
  namespace: requestNamespace(attributes),
  name: attributes.name,
});

/** The fields of a namespace that expressions can read. */
function exposed({ metadata, spec, status }: KubeObject) {
  const { managedFields: _managed, ownerReferences: _owners, selfLink: _link, uid, ...rest } = metadata;
  return { metadata: { ...rest, ...(uid === undefined ? {} : { UID: uid }) }, spec, status };
}

const maxRepetitions = 100;

/** Evaluates; when a decision of the authorizer is pending, waits for it and evaluates again. */
export async function settled<T>(evaluate: () => T): Promise<T> {
  for (let i = 0; ; i++) {
    try {
      return evaluate();
    } catch (error) {
      if (!(error instanceof PendingAuthorization) || i >= maxRepetitions) throw error;
      await error.ready;
    }
  }
}
