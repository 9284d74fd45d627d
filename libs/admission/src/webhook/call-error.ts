import { goQuote } from '@apichain/go-text';
import { newInternalError, type StatusError } from '@apichain/meta';

/** A webhook could not be called or gave no usable response; failurePolicy decides the outcome. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
  constructor(webhook: string, reason: string) {
    super(`failed calling webhook ${goQuote(webhook)}: ${reason}`);
  }
  /** The error for the client with failurePolicy Fail. */
  toStatus(): StatusError {
    return newInternalError(this.message);
  }
}
