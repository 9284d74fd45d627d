import { traceEvent } from '@apichain/client';
import { pause, type KubeObject } from '@apichain/meta';
import { negotiateOutput, wireFormatsOf } from '@apichain/request';
import { decodeObjectBody, readObjectAhead } from '../negotiation/decode-object.ts';
import { negotiateInput } from '@apichain/request';
import { readBody } from '@apichain/request';
import { readWriteOptions } from '../negotiation/request-options.ts';
import { resultDocument } from '../negotiation/result-document.ts';
import { writeDocument } from '@apichain/request';
import type { Updater, WriteOptions } from '../registry/rest.ts';
import { checkName, dedupOwnerReferences, ensureNamespace } from '../registry/system-metadata.ts';
import { admitObject, authorizeCreate, createValidation, updateValidation, optionsObject } from './admission.ts';
import { fieldManagerName, updateManagedFields, type LiveObject } from './managed-fields.ts';
import { withinBound, noteRequestObject, updatedWithinSize } from './write.ts';
import { objectDecoder, type EndpointRequest, type EndpointScope } from './scope.ts';

/** PUT: replaces an object, or creates it if the kind allows that. */
export async function updateResource(scope: EndpointScope, storage: Updater, call: EndpointRequest): Promise<void> {
  const { ctx, request, response, query } = call;
  const output = negotiateOutput(request.headers.accept, scope.restrictions, wireFormatsOf(request));
  const bytes = await readBody(request);
  traceEvent('limitedReadBody succeeded', bytes.length);
  const options = readWriteOptions(query, 'UpdateOptions');
  const format = negotiateInput(request.headers['content-type'], wireFormatsOf(request));
  const { fieldValidation } = options;
  const decoder = objectDecoder(scope);
  const ahead = await readObjectAhead(bytes, format, decoder);
  const decode = () => decodeObjectBody(ctx, { bytes, format, fieldValidation, ahead }, decoder);
  await pause();
  const first = await decode();
  noteRequestObject(scope, call, first);
  await pause();
  ensureNamespace(first, scope.storage.info.namespaced, call.namespace);
  checkName(first, call.name, call.namespace);
  const repeated = dedupOwnerReferences(first, false);
  if (repeated !== undefined) ctx.warn(repeated);

  const replacement = new Replacement(scope, call, options, first, decode);
  const uid = first.metadata.uid ?? '';
  const given = {
    ...options,
    ...writeHooks(scope, call, options),
    forceAllowCreate: false,
    ...(uid === '' ? {} : { uid }),
  };
  traceEvent('About to store object in database');
  const { result, created } = await withinBound(call, () =>
    updatedWithinSize((withManagedFields) =>
      storage.update(
        ctx,
        call.name,
        (object, json) => replacement.replace(object && { object, json }, withManagedFields),
        given,
      ),
    ),
  );
  traceEvent('Write to database call succeeded', bytes.length);
  await pause();
  const document = await resultDocument(scope, result, output, query);
  await writeDocument(request, response, created ? 201 : 200, document, output, query);
}

/** Validating admission of the result of an update or patch. */
export function writeHooks(
  scope: EndpointScope,
  call: EndpointRequest,
  options: WriteOptions,
): Pick<WriteOptions, 'validateCreate' | 'validateUpdate'> {
  const { dryRun } = options;
  const validateNew = createValidation(scope, call, optionsObject('CreateOptions', options), dryRun);
  const validateUpdate = updateValidation(scope, call, optionsObject('UpdateOptions', options), dryRun);
  return {
    // Called only when an object is about to be created, which needs the `create` permission.
    validateCreate: async (object) => {
      await authorizeCreate(scope, call);
      await validateNew?.(object);
    },
    validateUpdate,
  };
}

/** Runs mutating admission and the ownerReferences rules on an object before the registry stores it. */
export async function admitReplacement(
  scope: EndpointScope,
  call: EndpointRequest,
  options: WriteOptions,
  object: KubeObject,
  current: KubeObject | undefined,
): Promise<void> {
  const { dryRun } = options;
  if (current === undefined) {
    await admitObject(scope, call, 'CREATE', { object, options: optionsObject('CreateOptions', options), dryRun });
  } else {
    const given = optionsObject('UpdateOptions', options);
    await admitObject(scope, call, 'UPDATE', { object, oldObject: current, options: given, dryRun });
  }
  const warning = dedupOwnerReferences(object, true);
  if (warning !== undefined) call.ctx.warn(warning);
}

/** The new object of a PUT. It is decoded again for each further attempt, because the registry changes its argument. */
class Replacement {
  readonly #scope: EndpointScope;
  readonly #call: EndpointRequest;
  readonly #options: WriteOptions;
  readonly #decode: () => Promise<KubeObject>;
  #decoded: KubeObject | undefined;

  constructor(
    scope: EndpointScope,
    call: EndpointRequest,
    options: WriteOptions,
    decoded: KubeObject,
    decode: () => Promise<KubeObject>,
  ) {
    this.#scope = scope;
    this.#call = call;
    this.#options = options;
    this.#decoded = decoded;
    this.#decode = decode;
  }

  async #decodeAgain(): Promise<KubeObject> {
    const object = await this.#decode();
    ensureNamespace(object, this.#scope.storage.info.namespaced, this.#call.namespace);
    dedupOwnerReferences(object, false);
    return object;
  }

  async replace(current: LiveObject | undefined, withManagedFields: boolean): Promise<KubeObject> {
    const fieldManager = withManagedFields ? this.#scope.storage.fieldManager : undefined;
    const object = this.#decoded ?? (await this.#decodeAgain());
    this.#decoded = undefined;
    if (!withManagedFields) delete object.metadata.managedFields;
    const manager = fieldManagerName(this.#options.fieldManager, this.#call.ctx.userAgent);
    const updated =
      fieldManager === undefined ? object : await updateManagedFields(fieldManager, current, object, manager);
    await pause();
    await admitReplacement(this.#scope, this.#call, this.#options, updated, current?.object);
    return updated;
  }
}
