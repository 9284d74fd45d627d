import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { errorMessage, parseJson, stringifyJson } from '@apichain/meta';
import {
  reviewAdmission,
  reviewConversion,
  type AdmissionHandler,
  type AdmissionReview,
  type ConversionHandler,
  type ConversionReview,
} from './reviews.ts';

/** Options of `serveWebhooks`. */
export interface WebhookServerOptions {
  /** PEM text. */
  readonly cert: string;
  readonly key: string;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Admission webhooks by path. */
  readonly handlers?: Readonly<Record<string, AdmissionHandler>>;
  /** Conversion webhooks by path. */
  readonly converters?: Readonly<Record<string, ConversionHandler>>;
  /** Is called with every review before its handler. */
  readonly onReview?: (path: string, review: AdmissionReview | ConversionReview) => void;
}

/** A webhook server that is listening. */
export interface WebhookServer {
  readonly port: number;
  /** Closes the server and all its connections. */
  close(): Promise<void>;
}

const maxBodyBytes = 16 * 2 ** 20;

/** Serves webhooks over HTTPS until it is closed. Throws Node's error when the port cannot be opened. */
export async function serveWebhooks(options: WebhookServerOptions): Promise<WebhookServer> {
  const { cert, key, host = '127.0.0.1', port = 0 } = options;
  const server = createServer({ cert, key }, (request, response) => {
    review(options, request).then(
      ({ status, text }) => send(response, status, text),
      (error: unknown) => send(response, 500, errorMessage(error)),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': status === 200 ? 'application/json' : 'text/plain' });
  response.end(text);
}

async function review(
  options: WebhookServerOptions,
  request: IncomingMessage,
): Promise<{ status: number; text: string }> {
  const { pathname } = new URL(request.url ?? '/', 'https://webhook');
  const { handlers = {}, converters = {}, onReview } = options;
  const handler = Object.hasOwn(handlers, pathname) ? handlers[pathname] : undefined;
  const converter = Object.hasOwn(converters, pathname) ? converters[pathname] : undefined;
  if (handler === undefined && converter === undefined) return { status: 404, text: `no webhook at ${pathname}` };
  const received = reviewOf(parseJson(await bodyOf(request)));
  onReview?.(pathname, received);
  if (received.kind === 'AdmissionReview' && handler !== undefined)
    return { status: 200, text: stringifyJson(await reviewAdmission(handler, received)) };
  if (received.kind === 'ConversionReview' && converter !== undefined)
    return { status: 200, text: stringifyJson(await reviewConversion(converter, received)) };
  return { status: 400, text: `${pathname} takes no ${received.kind}` };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if ((length += chunk.length) > maxBodyBytes) throw new Error(`a review of more than ${maxBodyBytes} bytes`);
  }
  return Buffer.concat(chunks).toString();
}

/** Checks a review. Throws Error for a value that is not a review with a request. */
function reviewOf(value: unknown): AdmissionReview | ConversionReview {
  const review = value as Partial<AdmissionReview | ConversionReview> | null;
  if ((review?.kind !== 'AdmissionReview' && review?.kind !== 'ConversionReview') || review.request === undefined)
    throw new Error('the body is neither an AdmissionReview nor a ConversionReview');
  return review as AdmissionReview | ConversionReview;
}
