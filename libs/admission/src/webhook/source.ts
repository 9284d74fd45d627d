import { sleep, type KubeObject } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import type { AdmissionAttributes, VersionedResource } from '../plugin.ts';
import { coverageKey, isExemptFromWebhooks, matchedVersion, subjectOf } from '../rules.ts';
import { webhooksOf, type Webhook } from './webhook.ts';

/** A webhook that may have to be called for a request, and the version of the objects that it receives. */
export interface Candidate {
  readonly webhook: Webhook;
  readonly version: VersionedResource;
  /** The position of the webhook among all webhooks of the plugin. */
  readonly index: number;
}

const noCandidates: readonly Candidate[] = [];
const readyTimeoutMs = 10_000;
const maxKeys = 10_000;

/**
 * The currently configured webhooks. The webhooks that match a kind of request are computed once for each version of the configuration.
 * Without webhooks, a request costs one comparison.
 */
export class WebhookSource {
  #webhooks: readonly Webhook[] = [];
  #index = new Map<string, readonly Candidate[]>();
  #isReady = false;
  readonly #ready = Promise.withResolvers<void>();

  /** Replaces the configuration by all current objects, in the order of their names. */
  set(configurations: readonly KubeObject[]): void {
    this.#webhooks = webhooksOf(configurations);
    this.#index = new Map();
    this.#isReady = true;
    this.#ready.resolve();
  }

  /**
   * The webhooks whose rules match this kind of request, in order. Waits while the
   * configuration has not been loaded; throws Forbidden if that takes too long.
   */
  candidates(attributes: AdmissionAttributes): readonly Candidate[] | Promise<readonly Candidate[]> {
    if (!this.#isReady) return this.#whenReady(attributes);
    if (this.#webhooks.length === 0) return noCandidates;
    return this.#find(attributes);
  }

  async #whenReady(attributes: AdmissionAttributes): Promise<readonly Candidate[]> {
    if (isExemptFromWebhooks(attributes.resource)) return noCandidates;
    const stop = new AbortController();
    await Promise.race([this.#ready.promise, sleep(readyTimeoutMs, stop.signal, { ref: false })]);
    stop.abort();
    if (!this.#isReady) throw forbidden(attributes, 'not yet ready to handle request');
    return this.#find(attributes);
  }

  #find(attributes: AdmissionAttributes): readonly Candidate[] {
    if (isExemptFromWebhooks(attributes.resource)) return noCandidates;
    const key = coverageKey(attributes);
    const known = this.#index.get(key);
    if (known !== undefined) return known;
    const subject = subjectOf(attributes);
    const found = this.#webhooks.flatMap((webhook, index): Candidate[] => {
      const equivalents = webhook.equivalent ? attributes.interfaces?.equivalents : undefined;
      const version = matchedVersion(webhook.rules, subject, equivalents);
      return version === undefined ? [] : [{ webhook, version, index }];
    });
    if (this.#index.size >= maxKeys) this.#index.clear();
    this.#index.set(key, found);
    return found;
  }
}
