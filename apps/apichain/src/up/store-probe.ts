import http2 from 'node:http2';
import { connect } from 'node:net';
import { probeTimeoutMs, type LivenessProbe } from '@apichain/workers';

/**
 * Probes an etcd (embedded or real) with an HTTP/2 ping, which every gRPC server answers. `url` has the format of `--etcd-servers`; `openSession` is
 * called when there is no open session.
 */
export function storeProbe(url: string, timeoutMs = probeTimeoutMs, openSession = open): LivenessProbe {
  let session: http2.ClientHttp2Session | undefined;
  return () =>
    new Promise((resolve) => {
      session = session?.closed === false && !session.destroyed ? session : openSession(url);
      const asked = session;
      const done = (problem?: string) => {
        clearTimeout(timer);
        asked.off('error', onError);
        asked.off('connect', ping);
        if (problem !== undefined) asked.destroy();
        resolve(problem);
      };
      const onError = (error: Error) => done(error.message);
      const timer = setTimeout(() => done(`no response within ${timeoutMs} ms`), timeoutMs);
      asked.on('error', onError);
      // A session can be destroyed before its event `connect` arrives. `ping` throws then.
      const ping = () => {
        if (asked.destroyed || !asked.ping((error) => done(error?.message))) done('the connection takes no ping');
      };
      if (asked.connecting) asked.once('connect', ping);
      else ping();
    });
}

function open(url: string): http2.ClientHttp2Session {
  const socketPath = url.startsWith('unix://') ? url.slice('unix://'.length) : undefined;
  const session =
    socketPath === undefined
      ? http2.connect(url)
      : http2.connect('http://localhost', { createConnection: () => connect(socketPath) });
  // Between two probes the session has no other error listener.
  session.on('error', () => session.destroy());
  session.unref();
  return session;
}
