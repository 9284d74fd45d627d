import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '@apichain/meta';
import { neverSent } from '../etcd-error.ts';

/**
 * Opens and closes a connection to an endpoint (a URL, or `unix:` with a path) without gRPC. A client of the library takes some twenty times as long
 * to find out that nothing listens there, and during an outage every part of a server tries again and again. Throws EtcdError when no connection can
 * be opened within `timeout` milliseconds; no request has been sent then.
 */
export async function probeEndpoint(endpoint: string, timeout: number): Promise<void> {
  const socket = open(endpoint);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
      socket.setTimeout(timeout, () => reject(new Error('timed out')));
    });
  } catch (error) {
    throw neverSent(errorMessage(error));
  } finally {
    // The close of a socket may report an error, which is of no interest any more.
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

function open(endpoint: string): Socket {
  if (endpoint.startsWith('unix:')) {
    const path = endpoint.slice('unix:'.length);
    return connect({ path: path.startsWith('//') ? fileURLToPath(`file:${path}`) : path });
  }
  const { hostname, port } = new URL(endpoint.includes('://') ? endpoint : `http://${endpoint}`);
  return connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
}
