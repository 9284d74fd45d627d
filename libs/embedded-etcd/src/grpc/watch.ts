import type { ServerDuplexStream } from '@grpc/grpc-js';
import { WatchResponse, WatchService, type WatchRequest } from '@apichain/etcd-api/etcdserverpb';
import { WatchStream, type WatchSink } from '../watch/watch-stream.ts';
import { headerOf, type ServerContext } from './context.ts';
import { encoder } from './encoder.ts';

/** A client's stream of watches. The hub publishes to it until `end`. */
export function openWatchStream(
  { engine, hub, maxRequestBytes }: ServerContext,
  sink: WatchSink,
): { readonly stream: WatchStream; readonly end: () => void } {
  const source = {
    store: engine.store,
    get revision() {
      return engine.revision;
    },
    header: () => headerOf(engine),
  };
  const stream = new WatchStream(source, sink, maxRequestBytes);
  hub.add(stream);
  const end = () => {
    hub.remove(stream);
    stream.close();
  };
  return { stream, end };
}

export const encodeWatchResponse = encoder(WatchResponse);

export function watchService(context: ServerContext) {
  const watch = (call: ServerDuplexStream<WatchRequest, WatchResponse>): void => {
    const { stream, end } = openWatchStream(context, { send: (response) => call.write(response) });
    call.on('data', (request: WatchRequest) => {
      stream.receive(request);
    });
    call.on('drain', () => {
      stream.drained();
    });
    call.on('end', () => {
      end();
      call.end();
    });
    call.on('cancelled', end);
    call.on('error', end);
    call.on('close', end);
  };
  return {
    definition: { watch: { ...WatchService.watch, responseSerialize: encodeWatchResponse } },
    handlers: { watch } satisfies Record<keyof typeof WatchService, unknown>,
  };
}
