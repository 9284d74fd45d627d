import type { AdmissionAttributes, AdmissionOperation } from '../plugin.ts';
import type { WebhookDependencies } from './dispatch.ts';
import type { Candidate, WebhookSource } from './source.ts';

const everyOperation: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** What the plugins of mutating and of validating webhooks share: a request that no webhook is configured for costs one question. */
export abstract class WebhookPlugin {
  readonly handles = everyOperation;
  protected readonly needed: WebhookDependencies;
  readonly #source: WebhookSource;

  constructor(source: WebhookSource, needed: WebhookDependencies) {
    this.#source = source;
    this.needed = needed;
  }

  /** Shows a request to the webhooks that are configured for it, if there are any. Throws what `dispatch` throws. */
  protected show(attributes: AdmissionAttributes): Promise<void> | void {
    const candidates = this.#source.candidates(attributes);
    if (candidates instanceof Promise) return candidates.then((found) => this.#some(found, attributes));
    return this.#some(candidates, attributes);
  }

  #some(candidates: readonly Candidate[], attributes: AdmissionAttributes): Promise<void> | void {
    return candidates.length === 0 ? undefined : this.dispatch(candidates, attributes);
  }

  /** Calls those of the webhooks whose conditions hold; there is at least one candidate. */
  protected abstract dispatch(candidates: readonly Candidate[], attributes: AdmissionAttributes): Promise<void>;
}
