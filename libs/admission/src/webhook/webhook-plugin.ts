import type { AdmissionAttributes, AdmissionOperation } from '../plugin.ts';
import type { WebhookDependencies } from './dispatch.ts';
import type { Candidate, WebhookSource } from './source.ts';

const everyOperation: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** The common part of the mutating and the validating webhook plugin. A request that matches no webhook costs one lookup. */
export abstract class WebhookPlugin {
  readonly handles = everyOperation;
  protected readonly needed: WebhookDependencies;
  readonly #source: WebhookSource;

  constructor(source: WebhookSource, needed: WebhookDependencies) {
    this.#source = source;
    this.needed = needed;
  }

  /** Calls the webhooks that match a request, if there are any. Throws what `dispatch` throws. */
  protected show(attributes: AdmissionAttributes): Promise<void> | void {
    const candidates = this.#source.candidates(attributes);
    if (candidates instanceof Promise) return candidates.then((found) => this.#some(found, attributes));
    return this.#some(candidates, attributes);
  }

  #some(candidates: readonly Candidate[], attributes: AdmissionAttributes): Promise<void> | void {
    return candidates.length === 0 ? undefined : this.dispatch(candidates, attributes);
  }

  /** Calls the candidates whose conditions are met; there is at least one candidate. */
  protected abstract dispatch(candidates: readonly Candidate[], attributes: AdmissionAttributes): Promise<void>;
}
