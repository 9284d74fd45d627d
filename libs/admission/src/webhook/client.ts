import type { WebhookClientConfig } from '@apichain/api/admissionregistration/v1';
import { currentSpan, formatTraceparent, type SpanContext } from '@apichain/client';
import { pause, sleep, stringifyJson, type Plain } from '@apichain/meta';
import { kindOfReview, retryAfterMs, reviewOf, type ReviewTypes, type TypeMeta } from './webhook-response.ts';
import { asUser, endpointOf, UnusableClientError, type Endpoint } from './endpoint.ts';
import { exchange, type Exchange, type Received, type ServiceResolver } from './exchange.ts';
import type { WebhookUsers } from './users.ts';

export { UnusableClientError, type ServiceResolver };

/** A call of a webhook for an admission decision, and its outcome. */
export interface WebhookCall {
  readonly name: string;
  readonly mutating: boolean;
  /** `CREATE`, `UPDATE`, `DELETE`, `CONNECT`. */
  readonly operation: string;
  readonly seconds: number;
  /** `error` = there was no usable response. */
  readonly outcome: 'allowed' | 'denied' | 'error';
  /** The status code of the refusal or the error; 200 when the request was allowed. */
  readonly code: number;
  /** Errors are ignored: failurePolicy Ignore. */
  readonly failOpen: boolean;
}

/** Called after every call to a webhook; metrics implement it. */
export type WebhookObserver = (call: WebhookCall) => void;

interface WebhookCallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Send `?timeout=`, as admission does and conversion does not. */
  readonly tellTimeout: boolean;
  /** The parent span; by default the span of the request. */
  readonly span?: SpanContext;
}

interface WebhookClientOptions {
  readonly resolver: ServiceResolver;
  /** The types that responses are decoded with. */
  readonly types: ReviewTypes;
  readonly userAgent?: string;
  /** The credentials for calls to webhooks; without it, calls are anonymous. */
  readonly users?: WebhookUsers | undefined;
}

const maxClients = 512;
const maxRetries = 10;

/**
 * Calls webhooks: JSON over HTTPS. Connections are kept alive and limited for each endpoint, redirects are followed, and certificates are
 * verified against caBundle or the public authorities. Error texts are those of Go's HTTP client.
 * After k8s.io/apiserver/pkg/util/webhook.
 */
export class WebhookClient {
  /** Called after every call for an admission decision. */
  observer: WebhookObserver | undefined;
  readonly #options: WebhookClientOptions;
  readonly #endpoints = new Map<string, Endpoint>();

  constructor(options: WebhookClientOptions) {
    this.#options = options;
  }

  /**
   * Posts a review and returns the response, decoded as the same kind. `clientConfig` is that of the webhook. Throws Error with the reason for
   * the client, and UnusableClientError when `clientConfig` is the reason.
   */
  async post(clientConfig: WebhookClientConfig, review: TypeMeta, options: WebhookCallOptions): Promise<Plain> {
    const endpoint = this.#endpoint(clientConfig);
    // A review of large objects takes as long to encode as a turn may.
    await pause();
    const body = Buffer.from(stringifyJson(review));
    await pause();
    const response = await this.#exchange(endpoint, body, options);
    return reviewOf(response, kindOfReview(review), this.#options.types);
  }

  close(): void {
    for (const { agent } of this.#endpoints.values()) agent.destroy();
    this.#endpoints.clear();
  }

  #endpoint(clientConfig: WebhookClientConfig): Endpoint {
    const key = stringifyJson([clientConfig.url, clientConfig.service, clientConfig.caBundle]);
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    const made = asUser(endpointOf(clientConfig), this.#options.users);
    if (this.#endpoints.size >= maxClients) this.close();
    this.#endpoints.set(key, made);
    return made;
  }

  /** Retries when a response says when to retry, as long as there is time. Source: withRetry of k8s.io/client-go/rest. */
  async #exchange(
    endpoint: Endpoint,
    body: Buffer,
    { timeoutMs, signal, tellTimeout, span = currentSpan()?.context }: WebhookCallOptions,
  ): Promise<Received> {
    const url = new URL(endpoint.url);
    if (tellTimeout) url.searchParams.set('timeout', `${Math.max(1, Math.ceil(timeoutMs / 1000))}s`);
    const limit = AbortSignal.timeout(Math.max(1, timeoutMs));
    const { resolver, userAgent = 'kube-apiserver-admission' } = this.#options;
    const asked: Exchange = {
      endpoint,
      resolver,
      url,
      body,
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, */*',
        'User-Agent': userAgent,
        ...(span === undefined ? {} : { traceparent: formatTraceparent(span) }),
      },
    };
    for (let retries = 0; ; retries++) {
      const response = await exchange(asked);
      const waitMs = retryAfterMs(response.status, response.retryAfter);
      if (waitMs === undefined || retries === maxRetries) return response;
      // When the time is over, the next attempt fails with the timeout error.
      await sleep(waitMs, asked.signal);
    }
  }
}
