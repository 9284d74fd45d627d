import { grpcStatus, isGrpcStatus, EtcdServerError, inProcessEtcd, type InProcessEtcd } from '@apichain/etcd-api';
import { EtcdError, neverSent } from '../etcd-error.ts';
import type { EtcdTransport, MessageStream, StreamHandlers } from './etcd-transport.ts';
import { StreamGuard } from './stream-guard.ts';

function toEtcdError(error: unknown): unknown {
  if (!(error instanceof EtcdServerError)) return error;
  return new EtcdError(isGrpcStatus(error.code) ? error.code : grpcStatus.UNKNOWN, error.details);
}

/**
 * A transport to an embedded etcd in this process, without a connection. Calls have no deadlines, because there is no network that could delay them.
 */
export function inProcessTransport(url: string): EtcdTransport {
  const streams = new Set<() => void>();
  let closed = false;

  const etcd = (): InProcessEtcd => {
    const running = closed ? undefined : inProcessEtcd(url);
    if (running === undefined) throw neverSent('the embedded etcd has been closed');
    return running;
  };
  const open = (handlers: StreamHandlers): MessageStream => {
    const cancel = () => {
      streams.delete(cutOff);
      watch.cancel();
    };
    const guard = new StreamGuard(handlers, cancel);
    const end = () => {
      streams.delete(cutOff);
      guard.end(new EtcdError(grpcStatus.UNAVAILABLE, 'the server ended the stream'));
    };
    const watch = etcd().openWatch({ onMessage: (message) => guard.message(message), onEnd: end });
    const cutOff = () => {
      watch.cancel();
      end();
    };
    streams.add(cutOff);
    return {
      write: (message) => guard.run(() => watch.write(message)),
      pause: () => watch.pause(),
      resume: () => guard.run(() => watch.resume()),
      cancel: () => {
        guard.over();
        cancel();
      },
    };
  };
  return {
    async call({ path, message }) {
      try {
        return await etcd().call(path, message);
      } catch (error) {
        throw toEtcdError(error);
      }
    },
    stream: (_request, handlers) =>
      new Promise((resolve) => {
        resolve(open(handlers));
      }),
    close() {
      closed = true;
      for (const cutOff of [...streams]) cutOff();
    },
  };
}
