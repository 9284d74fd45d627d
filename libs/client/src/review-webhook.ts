import { setTimeout as delay } from 'node:timers/promises';
import { hasErrorCode, isRecord, parseJson, stringifyJson, type Plain } from '@apichain/meta';
import { responseErrorText } from './response-error.ts';
import type { Transport, TransportResponse } from './transport.ts';

interface ReviewWebhookOptions {
  readonly transport: Transport;
  /** Path and query of the webhook. */
  readonly path: string;
  /** The wait before the second of the five attempts, in milliseconds. Default: 500. */
  readonly initialBackoffMs?: number;
  /** How long to wait for a response, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Is called after each attempt with the status code of the response, `<error>` without a response, and the seconds that it took. */
  readonly observe?: (code: string, seconds: number) => void;
}

const attempts = 5;
const backoffFactor = 1.5;
const backoffJitter = 0.2;
const requestTimeoutMs = 30_000;
const maxResponseBytes = 1024 * 1024;
/** Status codes after which a request is repeated. A response with Retry-After is repeated with any code. */
const passing: ReadonlySet<number> = new Set([429, 500, 504]);

/** A response that is not a successful review. */
class ReviewError extends Error {
  readonly retry: boolean;
  constructor(message: string, retry: boolean) {
    super(message);
    this.retry = retry;
  }
}

/**
 * Calls an external webhook that answers reviews (TokenReviews or SubjectAccessReviews) in their status. Source: k8s.io/apiserver/pkg/util/webhook.
 */
export class ReviewWebhook {
  readonly #options: ReviewWebhookOptions;

  constructor(options: ReviewWebhookOptions) {
    this.#options = options;
  }

  /** The status of the review in the response. Rejects with Error after five failed attempts, or at once when an error is not worth repeating. */
  async status(review: Plain): Promise<Plain> {
    const body = stringifyJson(review);
    let wait = this.#options.initialBackoffMs ?? 500;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#post(body);
      } catch (error) {
        if (attempt === attempts || !isWorthRetrying(error)) throw error;
      }
      await delay(wait * (1 + Math.random() * backoffJitter));
      wait *= backoffFactor;
    }
  }

  close(): Promise<void> {
    return this.#options.transport.close();
  }

  async #post(body: string): Promise<Plain> {
    const { response, content } = await this.#send(body);
    if (response.status >= 200 && response.status < 300) return statusOf(content.toString('utf8'));
    const retry = passing.has(response.status) || response.headers['retry-after'] !== undefined;
    const given = response.headers['content-type'];
    const [contentType = ''] = [given].flat();
    throw new ReviewError(responseErrorText(response.status, contentType, content), retry);
  }

  async #send(body: string): Promise<{ readonly response: TransportResponse; readonly content: Buffer }> {
    const { transport, path, timeoutMs = requestTimeoutMs, observe } = this.#options;
    const headers = { 'content-type': 'application/json', accept: 'application/json, */*' };
    const start = performance.now();
    let code = '<error>';
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await transport.send({ method: 'POST', path, headers, body, signal });
      code = String(response.status);
      return { response, content: await bytesOf(response) };
    } finally {
      observe?.(code, (performance.now() - start) / 1000);
    }
  }
}

function isWorthRetrying(error: unknown): boolean {
  if (error instanceof ReviewError) return error.retry;
  return hasErrorCode(error, 'ECONNRESET', 'UND_ERR_SOCKET');
}

async function bytesOf({ body }: TransportResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxResponseBytes) throw new ReviewError('the response is too large', false);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function statusOf(text: string): Plain {
  const review = parseJson(text);
  const status = isRecord(review) ? (review['status'] ?? {}) : undefined;
  if (!isRecord(status)) throw new ReviewError('the response of the webhook is not a review', false);
  return status;
}
