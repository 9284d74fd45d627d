import { BoundedCache, errorMessage, record, text, type Plain, currentTime, stringifyJson } from '@apichain/meta';
import { asBool, asText } from '@apichain/scheme';
import type { Container, Pod } from '@apichain/api/core/v1';
import type { ImageReviewContainerSpec, ImageReviewSpec } from '@apichain/api/imagepolicy/v1alpha1';
import { forbidden } from '../forbidden.ts';
import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';
import { podSpec } from '../pod-fields.ts';

/** The webhook that reviews images, and how long its responses are cached. */
export interface ImagePolicy {
  readonly webhook: { status(review: Plain): Promise<Plain> };
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  /** The decision when the webhook gives no response. */
  readonly defaultAllow: boolean;
}

const kept = { maxEntries: 1_024, maxCharacters: 8 << 20 };
const prefix = 'imagepolicywebhook.image-policy.k8s.io/';
const failedOpen = 'alpha.image-policy.k8s.io/failed-open';

interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/**
 * Admits pods only if a webhook allows their images.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#imagepolicywebhook
 */
export class ImagePolicyWebhook implements AdmissionPlugin {
  readonly name = 'ImagePolicyWebhook';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);
  readonly #policy: ImagePolicy;
  readonly #verdicts = new BoundedCache<{ readonly verdict: Verdict; readonly until: number }>(kept);

  constructor(policy: ImagePolicy) {
    this.#policy = policy;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isAbout(attributes, 'pods') || attributes.object === undefined) return;
    const { subresource, object } = attributes;
    if (subresource !== '' && subresource !== 'ephemeralcontainers') return;
    const verdict = await this.#verdict(attributes, specOf(attributes, object), object);
    if (verdict === undefined) return;
    for (const [key, value] of Object.entries(verdict.auditAnnotations)) attributes.annotate?.(prefix + key, value);
    if (verdict.allowed) return;
    throw forbidden(
      attributes,
      verdict.reason === ''
        ? 'one or more images rejected by webhook backend'
        : `image policy webhook backend denied one or more images: ${verdict.reason}`,
    );
  }

  /** Undefined = the webhook gave no response and defaultAllow is set. */
  async #verdict(attributes: AdmissionAttributes, spec: ImageReviewSpec, pod: Pod): Promise<Verdict | undefined> {
    const key = stringifyJson(spec);
    const known = this.#verdicts.get(key);
    if (known !== undefined && known.until > currentTime()) return known.verdict;
    try {
      const review = {
        kind: 'ImageReview',
        apiVersion: 'imagepolicy.k8s.io/v1alpha1',
        metadata: {},
        spec,
        status: { allowed: false },
      };
      const { allowed, reason, auditAnnotations } = await this.#policy.webhook.status(review);
      const verdict = { allowed: asBool(allowed), reason: asText(reason), auditAnnotations: textsOf(auditAnnotations) };
      this.#remember(key, verdict);
      return verdict;
    } catch (error) {
      if (!this.#policy.defaultAllow) throw forbidden(attributes, errorMessage(error));
      attributes.annotate?.(`${prefix}failed-open`, 'true');
      pod.metadata.annotations = { ...pod.metadata.annotations, [failedOpen]: 'true' };
      return undefined;
    }
  }

  #remember(key: string, verdict: Verdict): void {
    const ttl = verdict.allowed ? this.#policy.allowTtlMs : this.#policy.denyTtlMs;
    if (ttl === 0) return;
    this.#verdicts.set(key, { verdict, until: currentTime() + ttl });
  }
}

function specOf({ subresource, namespace }: AdmissionAttributes, pod: Pod): ImageReviewSpec {
  const spec = podSpec(pod);
  const containers: readonly Container[] =
    subresource === ''
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
      : (spec.ephemeralContainers ?? []);
  const annotations = Object.entries(pod.metadata.annotations ?? {}).filter(([name]) =>
    name.includes('.image-policy.k8s.io/'),
  );
  return {
    ...(containers.length === 0 ? {} : { containers: containers.map(imageOf) }),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations.toSorted(byName)) }),
    ...(namespace === '' ? {} : { namespace }),
  };
}

/** The response of a webhook is not validated, so its shape is not trusted. */
const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(record(value)).map(([key, member]) => [key, text(member)]));
const imageOf = ({ image = '' }: Container): ImageReviewContainerSpec => (image === '' ? {} : { image });
const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
