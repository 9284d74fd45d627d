import type { Transport } from '@apichain/client';
import { asError, sleep } from '@apichain/meta';
import type { AuditBackend, AuditFailure } from './backend.ts';
import type { AuditEvent } from '@apichain/request';

export interface WebhookOptions {
  readonly transport: Transport;
  /** Path and query of the webhook. */
  readonly path: string;
  readonly initialBackoffMs: number;
}

const plugin = 'webhook';
const attempts = 5;
const backoffFactor = 1.5;
const backoffJitter = 0.2;
const requestTimeoutMs = 30_000;

/**
 * POSTs events as an EventList. A failed request is retried, up to five attempts in total. After close() there are no more delays, and
 * each pending request has one more attempt. Source: k8s.io/apiserver/plugin/pkg/audit/webhook.
 */
export class WebhookBackend implements AuditBackend {
  readonly name = plugin;
  readonly #options: WebhookOptions;
  readonly #failed: AuditFailure;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<boolean>>();

  constructor(options: WebhookOptions, failed: AuditFailure) {
    this.#options = options;
    this.#failed = failed;
  }

  process(events: readonly AuditEvent[]): Promise<boolean> {
    const sending = this.#send(events).finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
    return sending;
  }

  async #send(events: readonly AuditEvent[]): Promise<boolean> {
    const items = events.map(({ item }) => item).join(',');
    const body = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items}]}`;
    let wait = this.#options.initialBackoffMs;
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === attempts || this.#closing.signal.aborted;
      try {
        await this.#post(body);
        return true;
      } catch (error) {
        if (isLast) {
          this.#failed(plugin, asError(error), events);
          return false;
        }
      }
      await this.#pause(wait * (1 + Math.random() * backoffJitter));
      wait *= backoffFactor;
    }
  }

  async #post(body: string): Promise<void> {
    const { transport, path } = this.#options;
    const response = await transport.send({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', accept: 'application/json, */*' },
      body,
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    await response.body.dump();
    if (response.status < 200 || response.status > 299)
      throw new Error(`the webhook answered with code ${response.status}`);
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, this.#closing.signal, { ref: false });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    await this.#options.transport.close();
  }
}
