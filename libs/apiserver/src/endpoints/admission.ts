import type { AdmissionAttributes, AdmissionOperation } from '@apichain/admission';
import { managedFieldsError } from '@apichain/managed-fields';
import type { KubeObject } from '@apichain/meta';
import { attributesOf, forbidden } from '../filters/authorization-attributes.ts';
import type { DeleteValidation, WriteOptions } from '../registry/rest.ts';
import type { GracefulDeleteOptions } from '../registry/strategy.ts';
import type { EndpointRequest, EndpointScope } from './scope.ts';

/*
 * Admission for the write verbs: mutating plugins run before the registry is called, validating plugins as hooks that the registry calls
 * when the object is complete.
 */

interface AdmissionSubject {
  readonly object?: KubeObject;
  readonly oldObject?: KubeObject;
  readonly options?: unknown;
  readonly dryRun: boolean;
}

export function admissionAttributes(
  scope: EndpointScope,
  call: EndpointRequest,
  operation: AdmissionOperation,
  subject: AdmissionSubject,
): AdmissionAttributes {
  const { ctx } = call;
  return {
    interfaces: scope.interfaces,
    signal: ctx.signal,
    deadline: ctx.deadline,
    operation,
    kind: scope.codec.kind,
    resource: scope.resource,
    subresource: scope.subresource,
    namespace: call.namespace,
    name: call.name === '' ? (subject.object?.metadata.name ?? '') : call.name,
    object: subject.object,
    oldObject: subject.oldObject,
    options: subject.options,
    dryRun: subject.dryRun,
    user: ctx.user,
    warn: (text) => ctx.warn(text),
    ...(ctx.audit === undefined ? {} : { annotate: ctx.audit.annotate }),
    track: ctx.track,
  };
}

/**
 * Runs the mutating plugins on an object in place. Invalid managedFields are replaced by the previous ones.
 * Source: fieldmanager/admission.go of k8s.io/apiserver/pkg/endpoints/handlers.
 */
export async function admitObject(
  scope: EndpointScope,
  call: EndpointRequest,
  operation: 'CREATE' | 'UPDATE',
  subject: AdmissionSubject & { readonly object: KubeObject },
): Promise<void> {
  const { admission } = scope.services;
  if (admission === undefined || !admission.mutates(operation)) return;
  const before = subject.object.metadata.managedFields;
  await measured(call, 'mutating-admission', () =>
    admission.admit(admissionAttributes(scope, call, operation, subject)),
  );
  // Webhooks and policies replace the object with a new one that shares no values, so an identical reference means no change.
  if (subject.object.metadata.managedFields === before) return;
  const problem = managedFieldsError(subject.object.metadata.managedFields);
  if (problem === undefined) return;
  call.ctx.warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`,
  );
  if (before === undefined) delete subject.object.metadata.managedFields;
  else subject.object.metadata.managedFields = before;
}

/** The validating admission of a create, called by the registry. */
export function createValidation(
  scope: EndpointScope,
  call: EndpointRequest,
  options: unknown,
  dryRun: boolean,
): NonNullable<WriteOptions['validateCreate']> | undefined {
  const { admission } = scope.services;
  if (admission === undefined || !admission.validates('CREATE')) return undefined;
  return (object) =>
    measured(call, 'validating-admission', () =>
      admission.validate(admissionAttributes(scope, call, 'CREATE', { object, options, dryRun })),
    );
}

export function updateValidation(
  scope: EndpointScope,
  call: EndpointRequest,
  options: unknown,
  dryRun: boolean,
): NonNullable<WriteOptions['validateUpdate']> | undefined {
  const { admission } = scope.services;
  if (admission === undefined || !admission.validates('UPDATE')) return undefined;
  return (object, oldObject) =>
    measured(call, 'validating-admission', () =>
      admission.validate(admissionAttributes(scope, call, 'UPDATE', { object, oldObject, options, dryRun })),
    );
}

/** The mutating and validating admission of a delete; there is no object to change. */
export function deleteValidation(
  scope: EndpointScope,
  call: EndpointRequest,
  options: GracefulDeleteOptions,
  dryRun: boolean,
): DeleteValidation | undefined {
  const { admission } = scope.services;
  if (admission === undefined || !(admission.mutates('DELETE') || admission.validates('DELETE'))) return undefined;
  return async (oldObject) => {
    // For deletecollection the attributes have no name, although admission runs for each object.
    const shown = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...options };
    const attributes = admissionAttributes(scope, call, 'DELETE', { oldObject, options: shown, dryRun });
    await measured(call, 'mutating-admission', () => admission.admit(attributes));
    await measured(call, 'validating-admission', () => admission.validate(attributes));
  };
}

/** Reports how long admission took, if somebody wants to know it. */
async function measured<Result>(
  { ctx: { track } }: EndpointRequest,
  part: 'mutating-admission' | 'validating-admission',
  work: () => Promise<Result>,
): Promise<Result> {
  if (track === undefined) return work();
  const start = performance.now();
  try {
    return await work();
  } finally {
    track(part, performance.now() - start);
  }
}

/**
 * Checks the `create` permission for an update or apply that is about to create an object. Throws Forbidden.
 * Source: withAuthorization of endpoints/handlers/create.go.
 */
export async function authorizeCreate(scope: EndpointScope, call: EndpointRequest): Promise<void> {
  const { authorizer } = scope.services;
  const attributes = { ...attributesOf(call.ctx), verb: 'create', fieldSelector: '', labelSelector: '' };
  const result = await authorizer.authorize(attributes);
  if (result.decision !== 'Allow') throw forbidden(attributes, result.reason);
}

/** meta/v1 options in the form that admission gets. */
export function optionsObject(
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  options: WriteOptions,
  force?: boolean,
) {
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
    ...(force === undefined ? {} : { force }),
    ...(options.fieldManager === '' ? {} : { fieldManager: options.fieldManager }),
    ...((options.statedFieldValidation ?? '') === '' ? {} : { fieldValidation: options.statedFieldValidation }),
  };
}
