import { randomUUID } from 'node:crypto';
import type { WebhookClient } from '@apichain/admission';
import type { ConversionReview, WebhookClientConfig } from '@apichain/api/apiextensions/v1';
import { goQuote } from '@apichain/go-text';
import { builtinType } from '@apichain/kinds/model';
import {
  errorMessage,
  isSet,
  newUnknownError,
  parseGroupVersion,
  pause,
  type KubeObject,
  type StatusError,
  type GroupVersionKind,
} from '@apichain/meta';
import type { CustomResourceDefinition } from '@apichain/schema';
import type { Type } from '@apichain/scheme';
import type { ConversionFailure, ConversionObserver } from './conversion-metrics.ts';
import { checkedObject, describeProblem, type Problem } from './converted-objects.ts';

const group = 'apiextensions.k8s.io';
const timeoutMs = 30_000;

/** What kube-apiserver sends as the response member of a request. */
const emptyResponse = { uid: '', convertedObjects: null, result: { metadata: {} } };

/** The failure to report if the conversion fails at the current point. */
interface Progress {
  failure: ConversionFailure;
}

/** `group/version, Kind=kind`, as Go prints it. */
const goKind = ({ apiVersion, kind }: KubeObject): string => `${apiVersion}, Kind=${kind}`;

/**
 * Converts custom resources by the webhook of their definition.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
 */
export class WebhookConverter {
  readonly #client: Pick<WebhookClient, 'post'>;
  readonly #clientConfig: WebhookClientConfig;
  readonly #reviewVersion: string | undefined;
  readonly #name: string;
  readonly #observe: ConversionObserver | undefined;

  constructor(crd: CustomResourceDefinition, client: Pick<WebhookClient, 'post'>, observe?: ConversionObserver) {
    const webhook = crd.spec.conversion?.webhook;
    this.#client = client;
    this.#name = crd.metadata.name ?? '';
    this.#observe = observe;
    this.#clientConfig = webhook?.clientConfig ?? {};
    this.#reviewVersion = webhook?.conversionReviewVersions?.find((v) => v === 'v1' || v === 'v1beta1');
  }

  /**
   * Converts all objects to `apiVersion`, in their order. Objects that already have the version are not changed; the others are sent in one
   * review.
   * Rejects with StatusError 500 and the reason.
   */
  async convert(objects: readonly KubeObject[], apiVersion: string): Promise<KubeObject[]> {
    const [first, ...others] = objects.filter((object) => object.apiVersion !== apiVersion);
    if (first === undefined) return [...objects];
    const began = performance.now();
    const progress: Progress = { failure: 'conversion_webhook_call_failure' };
    try {
      const converted = await this.#converted(objects, [first, ...others], apiVersion, progress);
      progress.failure = '';
      return converted;
    } finally {
      const [from, to] = [first.apiVersion, apiVersion].map((version) => parseGroupVersion(version).version);
      const seconds = (performance.now() - began) / 1_000;
      this.#observe?.({ crd: this.#name, from: from ?? '', to: to ?? '', seconds, failure: progress.failure });
    }
  }

  async #converted(
    objects: readonly KubeObject[],
    foreign: readonly [KubeObject, ...KubeObject[]],
    apiVersion: string,
    progress: Progress,
  ): Promise<KubeObject[]> {
    const [first] = foreign;
    const converted = await this.#ask(foreign, apiVersion, progress);
    progress.failure = 'conversion_webhook_partial_response_failure';
    if (converted.length !== foreign.length)
      throw failure(first, `returned ${converted.length} objects, expected ${foreign.length}`);
    progress.failure = 'conversion_webhook_invalid_converted_object_failure';
    const results = new Map<KubeObject, KubeObject>();
    for (const [i, original] of foreign.entries()) {
      await pause();
      const checked = checkedObject(original, converted[i], apiVersion);
      if ('problem' in checked) throw refusal(first, checked.problem, i, objects.length === 1);
      results.set(original, checked.object);
    }
    return objects.map((object) => results.get(object) ?? object);
  }

  async #ask(
    objects: readonly [KubeObject, ...KubeObject[]],
    desiredAPIVersion: string,
    progress: Progress,
  ): Promise<readonly unknown[]> {
    if (this.#reviewVersion === undefined) throw newUnknownError('no supported conversion review versions');
    const uid = randomUUID();
    const review = {
      kind: 'ConversionReview',
      apiVersion: `${group}/${this.#reviewVersion}`,
      request: { uid, desiredAPIVersion, objects },
      response: emptyResponse,
    };
    try {
      const reviewed = await this.#client.post(this.#clientConfig, review, { timeoutMs, tellTimeout: true });
      progress.failure = 'conversion_webhook_malformed_response_failure';
      return convertedObjects(reviewed, uid, this.#reviewVersion);
    } catch (error) {
      throw failure(objects[0], `failed: ${errorMessage(error)}`);
    }
  }
}

const failure = (first: KubeObject, what: string): StatusError =>
  newUnknownError(`conversion webhook for ${goKind(first)} ${what}`);

/** When a single object is converted, a result without a kind or that is not an object is refused with the parser's message. */
const refusal = (first: KubeObject, problem: Problem, index: number, isAlone: boolean): StatusError =>
  isAlone && problem.part === 'form'
    ? newUnknownError(problem.error)
    : failure(first, describeProblem(problem, index, isAlone));

/** After getConvertedObjectsFromResponse of k8s.io/apiextensions-apiserver/pkg/apiserver/conversion. */
function convertedObjects(reviewed: ConversionReview, uid: string, version: string): readonly unknown[] {
  const { response, apiVersion = '', kind = '' } = reviewed;
  if (version === 'v1') {
    const got = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
    const wanted = `${group}/v1, Kind=ConversionReview`;
    if (got !== wanted) throw new Error(`expected webhook response of ${wanted}, got ${got}`);
  }
  if (!isSet(response)) throw new Error('no response provided');
  if (version === 'v1' && response.uid !== uid)
    throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(response.uid ?? '')}`);
  const { status = '', message = '' } = response.result ?? {};
  if (status !== 'Success') {
    throw new Error(message === '' ? `response.result.status was '${status}', not 'Success'` : message);
  }
  return response.convertedObjects ?? [];
}

/** The type for decoding responses of conversion webhooks. v1beta1 has the same structure and no types in the table. */
export const reviewType = (kind: GroupVersionKind): Type | undefined =>
  builtinType(kind.group === 'apiextensions.k8s.io' ? { ...kind, version: 'v1' } : kind);
