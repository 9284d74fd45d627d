import { goQuote } from '@apichain/go-text';
import { newInternalError, type StatusError } from '@apichain/meta';

/** A webhook that could not be asked, or gave no usable answer: its failurePolicy decides what that means. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
  constructor(webhook: string, reason: string) {
    super(`failed calling webhook ${goQuote(webhook)}: ${reason}`);
  }
  /** What the client gets with failurePolicy Fail. */
  toStatus(): StatusError {
    return newInternalError(this.message);
  }
}
