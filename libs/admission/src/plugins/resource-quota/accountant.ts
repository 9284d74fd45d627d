import type { AdmissionAttributes } from '../../plugin.ts';
import { sameAmounts } from '../../resource-list.ts';
import { charge } from './charge.ts';
import type { Evaluator } from './evaluator.ts';
import type { LimitedResource } from './limited-resources.ts';
import type { QuotaAccess } from './quota-access.ts';
import type { Quota } from './quota.ts';

interface Waiter {
  readonly attributes: AdmissionAttributes;
  readonly evaluator: Evaluator;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const conflictRetries = 3;

/**
 * Charges requests to the quotas of their namespace, one batch per namespace at a time. Requests that arrive while a batch is being written
 * form the next batch and share its writes.
 * Source: quotaEvaluator of k8s.io/apiserver/pkg/admission/plugin/resourcequota.
 */
export class Accountant {
  readonly #access: QuotaAccess;
  /** By namespace: the requests that wait for the current batch to end. */
  readonly #waiting = new Map<string, Waiter[]>();

  readonly #limited: readonly LimitedResource[];

  constructor(access: QuotaAccess, limited: readonly LimitedResource[] = []) {
    this.#access = access;
    this.#limited = limited;
  }

  /** Resolves when every quota has room for the request and its usage is written. Throws Forbidden, or what a failed write throws. */
  charge(attributes: AdmissionAttributes, evaluator: Evaluator): Promise<void> {
    const { namespace } = attributes;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { attributes, evaluator, resolve, reject };
      const waiting = this.#waiting.get(namespace);
      if (waiting !== undefined) {
        waiting.push(waiter);
        return;
      }
      this.#waiting.set(namespace, []);
      void this.#work(namespace, [waiter]);
    });
  }

  async #work(namespace: string, first: Waiter[]): Promise<void> {
    for (let batch = first; batch.length > 0; batch = this.#next(namespace)) {
      try {
        const quotas = await this.#access.quotas(namespace);
        await this.#settle(namespace, quotas, batch, conflictRetries);
      } catch (error) {
        for (const waiter of batch) waiter.reject(error);
      }
    }
  }

  #next(namespace: string): Waiter[] {
    const batch = this.#waiting.get(namespace) ?? [];
    if (batch.length === 0) this.#waiting.delete(namespace);
    else this.#waiting.set(namespace, []);
    return batch;
  }

  /** Settles requests that are refused or add no usage at once, writes the usage of the others, then settles those. */
  async #settle(namespace: string, original: Quota[], waiters: readonly Waiter[], retries: number): Promise<void> {
    let quotas = original;
    const charged: Waiter[] = [];
    for (const waiter of waiters) {
      try {
        const next = charge(quotas, waiter.evaluator, waiter.attributes, this.#limited);
        if (waiter.attributes.dryRun || next.every((quota, i) => quota === quotas[i])) {
          waiter.resolve();
          continue;
        }
        quotas = next;
        charged.push(waiter);
      } catch (error) {
        waiter.reject(error);
      }
    }
    if (charged.length === 0) return;
    const { failed, lastError } = await this.#write(original, quotas);
    if (failed.size === 0) {
      for (const waiter of charged) waiter.resolve();
    } else if (retries === 0) {
      for (const waiter of charged) waiter.reject(lastError);
    } else {
      const fresh = (await this.#access.quotas(namespace)).filter(({ name }) => failed.has(name));
      await this.#settle(namespace, fresh, charged, retries - 1);
    }
  }

  async #write(original: readonly Quota[], quotas: readonly Quota[]) {
    const failed = new Set<string>();
    let lastError: unknown;
    for (const [i, quota] of quotas.entries()) {
      const before = original[i];
      if (before === undefined || sameAmounts(before.used, quota.used)) continue;
      try {
        await this.#access.write(quota);
      } catch (error) {
        failed.add(quota.name);
        lastError = error;
      }
    }
    return { failed, lastError };
  }
}
