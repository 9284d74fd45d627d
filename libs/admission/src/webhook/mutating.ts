import {
  applyJsonPatch,
  deepEqual,
  errorMessage,
  newInternalError,
  parseJson,
  stringifyJson,
  type JsonPatchOperation,
  type KubeObject,
  isRecord,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { AdmissionAttributes, AdmissionPlugin } from '../plugin.ts';
import { Reinvocation, type PluginReinvocation } from '../reinvocation.ts';
import { replaceObject, type VersionedObjects } from '../selection.ts';
import { callWebhook, checkTime, ObjectVersions, shouldCall, WebhookCallError } from './dispatch.ts';
import type { Verdict } from './review.ts';
import type { Candidate } from './source.ts';
import { WebhookPlugin } from './webhook-plugin.ts';

/**
 * MutatingAdmissionWebhook: calls the matching webhooks one after another and applies the JSON patches of their responses.
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export class MutatingWebhooks extends WebhookPlugin implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionWebhook';

  admit(attributes: AdmissionAttributes): Promise<void> | void {
    return this.show(attributes);
  }

  protected override async dispatch(candidates: readonly Candidate[], attributes: AdmissionAttributes): Promise<void> {
    const reinvocation = (attributes.reinvocation ??= new Reinvocation());
    const own = reinvocation.of(this.name);
    if (reinvocation.isSecond && own.outputChanged(attributes.object)) own.requirePrevious();
    const versions = new ObjectVersions(attributes);
    try {
      for (const candidate of candidates) await this.#one(candidate, attributes, versions, reinvocation, own);
    } finally {
      own.setOutput(attributes.object);
    }
  }

  async #one(
    candidate: Candidate,
    attributes: AdmissionAttributes,
    versions: ObjectVersions,
    reinvocation: Reinvocation,
    own: PluginReinvocation,
  ): Promise<void> {
    const { webhook } = candidate;
    if (!(await shouldCall(candidate, attributes, this.needed, versions))) return;
    if (reinvocation.isSecond && !own.wants(webhook.id)) return;
    const round = reinvocation.isSecond ? 1 : 0;
    let changed = false;
    try {
      changed = await this.#call(candidate, attributes, await versions.in(candidate.version), round);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      if (!webhook.failOpen) throw error.toStatus();
      annotate(attributes, 'failed-open.mutation', candidate, round, webhook.name);
      checkTime(attributes);
    }
    annotate(attributes, 'mutation', candidate, round, mutationNote(candidate, changed));
    if (changed) {
      versions.forget();
      own.requirePrevious();
      reinvocation.want();
    }
    if (webhook.reinvoke) own.called(webhook.id);
  }

  /** Returns whether the object has changed. */
  async #call(
    candidate: Candidate,
    attributes: AdmissionAttributes,
    objects: VersionedObjects,
    round: number,
  ): Promise<boolean> {
    const { webhook } = candidate;
    const verdict = await callWebhook(candidate, attributes, objects, this.needed.client, true);
    const operations = operationsOf(verdict, webhook.name);
    if (operations.length === 0) return false;
    const { object } = objects;
    if (object === undefined)
      throw newInternalError(
        `admission webhook ${goQuote(webhook.name)} attempted to modify the object, which is not supported for this operation`,
      );
    if (verdict.patchType !== 'JSONPatch')
      throw new WebhookCallError(webhook.name, `unsupported patch type ${goQuote(verdict.patchType)}`);
    const before = attributes.annotate === undefined ? undefined : stringifyJson(operations);
    const patched = asInternalError(() => applyJsonPatch(object, operations) as KubeObject);
    if (deepEqual(patched, object)) return false;
    try {
      await replaceObject(attributes, patched, objects.kind);
    } catch (error) {
      throw newInternalError(errorMessage(error));
    }
    if (before !== undefined)
      annotate(attributes, 'patch', candidate, round, patchNote(candidate, before, verdict.patchType));
    return true;
  }
}

/** The operations of the patch. Whether each of them is valid is checked when it is applied. */
function operationsOf({ patch }: Verdict, webhook: string): readonly JsonPatchOperation[] {
  if (patch.length === 0) return [];
  try {
    const operations = parseJson(patch);
    if (operations === null) return [];
    if (!Array.isArray(operations)) throw new Error(cannotUnmarshal(operations, 'Patch'));
    return operations.map((operation: unknown): JsonPatchOperation => {
      if (operation !== null && !isRecord(operation)) throw new Error(cannotUnmarshal(operation, 'Operation'));
      return operation ?? {};
    });
  } catch (error) {
    const reason = errorMessage(error);
    throw new WebhookCallError(webhook, `received undecodable patch in webhook response: ${reason}`);
  }
}

const cannotUnmarshal = (value: unknown, type: string): string => {
  const shape = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${shape} into Go value of type jsonpatch.${type}`;
};

function asInternalError<T>(compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    throw newInternalError(errorMessage(error));
  }
}

type Annotation = 'patch' | 'mutation' | 'failed-open.mutation';

/** After webhookAnnotator of k8s.io/apiserver/pkg/admission/plugin/webhook/mutating. */
function annotate(
  attributes: AdmissionAttributes,
  what: Annotation,
  { index }: Candidate,
  round: number,
  value: string,
): void {
  attributes.annotate?.(`${what}.webhook.admission.k8s.io/round_${round}_index_${index}`, value);
}

const mutationNote = ({ webhook }: Candidate, mutated: boolean): string =>
  stringifyJson({ configuration: webhook.configuration, webhook: webhook.name, mutated });
const patchNote = ({ webhook }: Candidate, patch: string, patchType: string): string =>
  stringifyJson({
    configuration: webhook.configuration,
    webhook: webhook.name,
    patch: parseJson(patch),
    patchType,
  });
