import type { AdmissionAttributes, AdmissionPlugin } from '../plugin.ts';
import { callWebhook, checkTime, ObjectVersions, shouldCall, WebhookCallError } from './dispatch.ts';
import type { Candidate } from './source.ts';
import { WebhookPlugin } from './webhook-plugin.ts';

/**
 * ValidatingAdmissionWebhook: calls all matching webhooks concurrently; the first refusal counts.
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export class ValidatingWebhooks extends WebhookPlugin implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionWebhook';

  validate(attributes: AdmissionAttributes): Promise<void> | void {
    return this.show(attributes);
  }

  protected override async dispatch(candidates: readonly Candidate[], attributes: AdmissionAttributes): Promise<void> {
    const versions = new ObjectVersions(attributes);
    const concerned: Candidate[] = [];
    for (const candidate of candidates)
      if (await shouldCall(candidate, attributes, this.needed, versions)) concerned.push(candidate);
    if (concerned.length === 0) return;
    checkTime(attributes);
    const refusals: unknown[] = [];
    const ask = async (candidate: Candidate, index: number) => {
      try {
        await this.#call(candidate, index, attributes, versions);
      } catch (error) {
        refusals.push(error);
      }
    };
    await Promise.all(concerned.map(ask));
    if (refusals.length > 0) throw refusals[0];
  }

  async #call(
    candidate: Candidate,
    index: number,
    attributes: AdmissionAttributes,
    versions: ObjectVersions,
  ): Promise<void> {
    const objects = await versions.in(candidate.version);
    try {
      await callWebhook(candidate, attributes, objects, this.needed.client, false);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      if (!candidate.webhook.failOpen) throw error.toStatus();
      attributes.annotate?.(
        `failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`,
        candidate.webhook.name,
      );
    }
  }
}
