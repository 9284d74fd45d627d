import type { Span } from '@apichain/client';
import type { TimedPart, TrackTime } from '../times/request-times.ts';
import type { Pieces } from '@apichain/meta';
import type { Document, ListContents } from './document.ts';

/** The observers of how long a response takes. */
interface Observers {
  readonly track: TrackTime | undefined;
  readonly span: Span | undefined;
}

/** Sends a document and reports its timing to the observers. After SerializeObject of k8s.io/apiserver/pkg/endpoints/handlers/responsewriters. */
export async function sendObserved(
  document: Document,
  mediaType: string,
  { track, span }: Observers,
  send: (document: Document) => Promise<void>,
): Promise<void> {
  const serializing = span?.child('SerializeObject', 'internal', { mediaType });
  span?.event('About to write a response');
  try {
    await send(measured(document, { track, span: serializing }));
    serializing?.event('Write call succeeded');
  } finally {
    serializing?.end();
    span?.event('Writing http response done');
  }
}

/** Each time is reported as soon as it is measured: an event may be written while the response is being sent. */
function measured(document: Document, { track, span }: Observers): Document {
  const measure = <Result>(part: TimedPart, work: () => Result | Promise<Result>): Result | Promise<Result> => {
    const began = performance.now();
    const result = work();
    const measured = (made: Result) => {
      track?.(part, performance.now() - began);
      span?.event('About to start writing response');
      return made;
    };
    return result instanceof Promise ? result.then(measured) : measured(result);
  };
  if ('list' in document) return { list: measuredList(document.list, { track, span }) };
  return {
    ...document,
    json: () => measure('serialize-response-object', () => document.json()),
    // Measures the conversion to the form that the client asked for. Serialization follows.
    value: () => measure('transform-response-object', () => document.value()),
    protobuf: () => measure('serialize-response-object', () => document.protobuf()),
  };
}

/** Measures the making of the pieces, not the time in which the client takes them. */
function measuredList(list: ListContents, { track, span }: Observers): ListContents {
  function* measured<Piece>(pieces: Pieces<Piece>): Pieces<Piece> {
    let ms = 0;
    span?.event('About to start writing response');
    for (;;) {
      const began = performance.now();
      const step = pieces.next();
      ms += performance.now() - began;
      if (step.done === true) break;
      yield step.value;
    }
    track?.('serialize-response-object', ms);
  }
  const { joined } = list;
  return {
    ...list,
    json: (ending) => measured(list.json(ending)),
    protobuf: () => measured(list.protobuf()),
    ...(joined !== undefined && {
      joined: (ending) => {
        const began = performance.now();
        const bytes = joined(ending);
        track?.('serialize-response-object', performance.now() - began);
        span?.event('About to start writing response');
        return bytes;
      },
    }),
  };
}
