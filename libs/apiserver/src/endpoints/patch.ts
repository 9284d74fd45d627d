import { traceEvent } from '@apichain/client';
import {
  deepCloning,
  exceedingMembers,
  inTurns,
  newConflict,
  newNotFound,
  newTooManyMembers,
  newUnknownError,
  parseJson,
  parseYaml,
  pause,
  type KubeObject,
  type Work,
} from '@apichain/meta';
import { DecodeError, unstructuredError } from '@apichain/scheme';
import type { RequestAudit } from '@apichain/request';
import { negotiateOutput } from '@apichain/request';
import {
  applyCborPatchMediaType,
  applyPatchMediaType,
  jsonPatchMediaType,
  mergePatchMediaType,
  servesCbor,
  strategicMergePatchMediaType,
} from '@apichain/request';
import { unsupportedBody } from '@apichain/request';
import { readAhead, type ReadAhead } from '@apichain/request';
import { readBody } from '@apichain/request';
import { readPatchOptions, type PatchOptions } from '../negotiation/request-options.ts';
import { resultDocument } from '../negotiation/result-document.ts';
import { writeDocument } from '@apichain/request';
import { converted } from '../registry/pending-conversion.ts';
import { decodingBy } from '../registry/object-codec.ts';
import type { Updater } from '../registry/rest.ts';
import { checkName, ensureNamespace } from '../registry/system-metadata.ts';
import { fieldManagerName } from './field-manager-name.ts';
import { withinBound } from './mutation-bound.ts';
import { ApplyBody, cborPatchAsJson } from './apply-configuration.ts';
import type { PatchType } from './patch-body.ts';
import { PatchMechanism } from './patch-mechanism.ts';
import type { EndpointRequest, EndpointScope } from './scope.ts';
import { admitReplacement, writeHooks } from './update.ts';

const patchTypes: ReadonlyMap<string, PatchType | 'apply'> = new Map([
  [jsonPatchMediaType, 'json'],
  [mergePatchMediaType, 'merge'],
  [strategicMergePatchMediaType, 'strategic'],
  [applyPatchMediaType, 'apply'],
  [applyCborPatchMediaType, 'apply'],
]);

/** Media types of patches that the endpoint takes, in the order in which errors list them. */
export function patchMediaTypes(custom: boolean): readonly string[] {
  return [
    jsonPatchMediaType,
    mergePatchMediaType,
    ...(custom ? [] : [strategicMergePatchMediaType]),
    applyPatchMediaType,
    ...(servesCbor() ? [applyCborPatchMediaType] : []),
  ];
}

interface GivenPatch {
  readonly type: PatchType | 'apply';
  readonly cbor: boolean;
}

function patchTypeOf(scope: EndpointScope, contentType: string | undefined): GivenPatch {
  const accepted = patchMediaTypes(scope.codec.custom);
  // Parameters do not matter here, whatever they are; how the type is written does.
  const [mediaType = ''] = (contentType ?? '').split(';', 1);
  const type = patchTypes.get(mediaType);
  if (type === undefined || !accepted.includes(mediaType)) throw unsupportedBody(accepted);
  return { type, cbor: mediaType === applyCborPatchMediaType };
}

/** PATCH: JSON patch, merge patch, strategic merge patch and server-side apply. */
export async function patchResource(scope: EndpointScope, storage: Updater, call: EndpointRequest): Promise<void> {
  const { ctx, request, response, query } = call;
  const { type, cbor } = patchTypeOf(scope, request.headers['content-type']);
  const output = negotiateOutput(request.headers.accept, scope.restrictions);
  const body = await readBody(request);
  traceEvent('limitedReadBody succeeded', body.length);
  const options = readPatchOptions(query, type === 'apply');
  const patch = cbor ? cborPatchAsJson(body) : body;
  const ahead = await readAhead(patch, type === 'apply' ? 'yaml' : 'json');
  if (ctx.audit?.wantsRequest === true) notePatch(ctx.audit, type, patch);
  const patcher: Patcher =
    type === 'apply'
      ? new Apply(scope, call, options, new ApplyBody(patch, ahead))
      : new Patch(scope, call, options, type, patch, ahead);
  const given = { ...options, ...writeHooks(scope, call, options), forceAllowCreate: type === 'apply' };
  const { result, created } = await withinBound(call, () =>
    storage.update(ctx, call.name, (current) => patcher.next(current), given),
  );
  await pause();
  const document = resultDocument(scope, result, output, query);
  traceEvent('Object stored in database');
  await writeDocument(request, response, created ? 201 : 200, document, output, query);
}

/** A patch that cannot be read fails in its own words, later. */
function notePatch(audit: RequestAudit, type: PatchType | 'apply', patch: Buffer): void {
  try {
    audit.logRequestDocument(type === 'apply' ? parseYaml(patch) : parseJson(patch));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

/** Whether an object holds the very members of another, managed fields apart. */
function isLive(object: KubeObject, live: KubeObject): boolean {
  if (object === live) return true;
  const { metadata, ...members } = object;
  const { managedFields: _, ...kept } = metadata;
  const same = (value: object, of: object): boolean =>
    Object.entries(value).every(([name, m]) => Reflect.get(of, name) === m);
  const count = (value: object, without: string): number =>
    Object.keys(value).filter((name) => name !== without).length;
  if (count(live, 'metadata') !== count(members, '') || !same(members, live)) return false;
  return count(live.metadata, 'managedFields') === count(kept, '') && same(kept, live.metadata);
}

/** Computes the patched object; runs once an attempt, on whatever is stored then. */
abstract class Patcher {
  protected readonly scope: EndpointScope;
  protected readonly call: EndpointRequest;
  protected readonly options: PatchOptions;

  constructor(scope: EndpointScope, call: EndpointRequest, options: PatchOptions) {
    this.scope = scope;
    this.call = call;
    this.options = options;
  }

  protected abstract patch(current: KubeObject | undefined): Work<KubeObject>;

  async next(current: KubeObject | undefined): Promise<KubeObject> {
    const { scope, call } = this;
    const object = await converted(() => inTurns(this.patch(current)));
    const { uid = '' } = object.metadata;
    if (current === undefined && uid !== '') {
      const { group, resource } = scope.resource;
      throw newConflict(
        { group, resource },
        call.name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    }
    ensureNamespace(object, scope.storage.info.namespaced, call.namespace);
    checkName(object, call.name, call.namespace);
    await pause();
    await admitReplacement(scope, call, this.options, object, current);
    return object;
  }
}

class Patch extends Patcher {
  readonly #type: PatchType;
  readonly #body: Buffer;
  readonly #ahead: ReadAhead | undefined;
  readonly #manager: string;
  #mechanism: PatchMechanism | undefined;

  constructor(
    scope: EndpointScope,
    call: EndpointRequest,
    options: PatchOptions,
    type: PatchType,
    body: Buffer,
    ahead: ReadAhead | undefined,
  ) {
    super(scope, call, options);
    this.#type = type;
    this.#body = body;
    this.#ahead = ahead;
    this.#manager = fieldManagerName(options.fieldManager, call.ctx.userAgent);
  }

  protected *patch(current: KubeObject | undefined): Work<KubeObject> {
    const { scope, call } = this;
    if (current === undefined) {
      const { group, resource } = scope.resource;
      throw newNotFound({ group, resource }, call.name);
    }
    // The patch is read when there is something to patch: before that its faults are nobody's business.
    yield;
    const { fieldValidation } = this.options;
    this.#mechanism ??= new PatchMechanism(scope, this.#type, this.#body, fieldValidation, this.#ahead);
    yield;
    const patched = yield* this.#mechanism.patching(call.ctx, current);
    const { fieldManager } = scope.storage;
    if (fieldManager === undefined) return patched;
    yield;
    return yield* fieldManager.updating(current, patched, this.#manager);
  }
}

class Apply extends Patcher {
  readonly #body: ApplyBody;

  constructor(scope: EndpointScope, call: EndpointRequest, options: PatchOptions, body: ApplyBody) {
    super(scope, call, options);
    this.#body = body;
  }

  protected *patch(current: KubeObject | undefined): Work<KubeObject> {
    const { fieldManager } = this.scope.storage;
    if (fieldManager === undefined) throw unsupportedBody(patchMediaTypes(this.scope.codec.custom));
    yield;
    const applied = this.#body.configuration();
    yield;
    const merged = yield* fieldManager.applying(current, applied, this.options.fieldManager, this.options.force);
    if (yield* exceedingMembers(merged, current)) throw newTooManyMembers();
    yield;
    this.#body.reportProblems(this.call.ctx, this.options.fieldValidation);
    // Nothing to do but to note the manager: the live object itself, which is not read again.
    if (current !== undefined && isLive(merged, current)) return yield* deepCloning(merged);
    yield;
    return yield* this.#decoded(merged, applied);
  }

  /** The merged fields as an object of the kind, defaults included. Throws 500 where they are of the type and yet make none. */
  *#decoded(merged: KubeObject, applied: KubeObject): Work<KubeObject> {
    const { codec, storage } = this.scope;
    const value = (yield* deepCloning(merged)) as Parameters<typeof codec.decode>[0];
    yield;
    try {
      return (yield* decodingBy(codec, value, { applied: true, unstructured: true })).object;
    } catch (error) {
      if (codec.custom || !(error instanceof DecodeError)) throw error;
      const { group, version, kind } = codec.kind;
      const problem = unstructuredError(merged, storage.type) ?? error.message;
      const { namespace = '', name = '' } = applied.metadata;
      const target = `${group}/${version}, Kind=${kind}`;
      throw newUnknownError(
        `failed to convert new object (${namespace}/${name}; ${target}) to proper version: unable to convert unstructured object to ${target}: ${problem}`,
      );
    }
  }
}
