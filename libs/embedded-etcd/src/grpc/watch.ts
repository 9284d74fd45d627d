import type { ServerDuplexStream } from '@grpc/grpc-js';
import { WatchService, type WatchRequest, type WatchResponse } from '../generated/rpc.ts';
import { WatchStream } from '../watch/watch-stream.ts';
import { headerOf, type ServerContext } from './context.ts';

export function watchService({ engine, hub, maxRequestBytes }: ServerContext) {
  const watch = (call: ServerDuplexStream<WatchRequest, WatchResponse>): void => {
    const source = {
      store: engine.store,
      get revision() {
        return engine.revision;
      },
      header: () => headerOf(engine),
    };
    const stream = new WatchStream(source, { send: (response) => call.write(response) }, maxRequestBytes);
    hub.add(stream);
    const end = () => {
      hub.remove(stream);
      stream.close();
    };
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
    definition: WatchService,
    handlers: { watch } satisfies Record<keyof typeof WatchService, unknown>,
  };
}
