import type { Span } from '@apichain/client';
import type { LatencyPart, RequestAudit } from '../audit/request-audit.ts';
import type { Document } from './document.ts';

/** Who wants to know how long it takes to answer. */
export interface Observers {
  /** Its events tell it of slow requests. */
  readonly audit: RequestAudit | undefined;
  readonly span: Span | undefined;
}

/** Sends a document that somebody observes. After SerializeObject of k8s.io/apiserver/pkg/endpoints/handlers/responsewriters. */
export async function sendObserved(
  document: Document,
  mediaType: string,
  { audit, span }: Observers,
  send: (document: Document) => Promise<void>,
): Promise<void> {
  const serializing = span?.child('SerializeObject', 'internal', { mediaType });
  span?.event('About to write a response');
  try {
    await send(measured(document, { audit, span: serializing }));
    serializing?.event('Write call succeeded');
  } finally {
    serializing?.end();
    span?.event('Writing http response done');
  }
}

/** What is measured is told at once: an event may be written while the answer is. */
function measured(document: Document, { audit, span }: Observers): Document {
  const measure = <Result>(part: LatencyPart, work: () => Result): Result => {
    const began = performance.now();
    const result = work();
    audit?.track(part, performance.now() - began);
    span?.event('About to start writing response');
    return result;
  };
  return {
    ...document,
    json: (ending) => measure('serialize-response-object', () => document.json(ending)),
    // As the client wants to see it; what is written of it comes afterwards.
    value: () => measure('transform-response-object', () => document.value()),
    protobuf: () => measure('serialize-response-object', () => document.protobuf()),
  };
}
