import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer, isIPv6 } from 'node:net';
import { hasErrorCode } from './error-message.ts';

/**
 * The ports to choose from. They lie below the ephemeral ports (32768 and above on Linux, 49152 elsewhere), which the system gives to
 * outgoing connections: such a port may be taken between the check and its use. They lie below the node ports (30000) as well.
 */
const firstPort = 10_000;
const endPort = 30_000;
const maxAttempts = 100;

/** How long another process does not choose the same port, in milliseconds. The server that is told the port listens by then. */
const claimTime = 60_000;

/** The ports that this process was given: what was chosen may be listened on later. */
const given = new Set<number>();

/**
 * A TCP port on which nobody listens at `host`, and which neither this process was given before nor another one within the last
 * minute. It is meant for servers that are told their port when they start. Throws the error of the last attempt if `host` is not an address of
 * this machine.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(firstPort, endPort);
    if (given.has(port) && attempt < maxAttempts) continue;
    try {
      await listenOnce(host, port);
      await claimPort(host, port);
    } catch (error) {
      if (attempt < maxAttempts && hasErrorCode(error, 'EADDRINUSE')) continue;
      throw error;
    }
    given.add(port);
    return port;
  }
}

/**
 * Keeps other processes that call this from choosing a port: the UDP port of the same number is bound for a while, which the system allows only once.
 * It does not keep the process alive. Throws the system's error, EADDRINUSE when the port is claimed.
 */
export async function claimPort(host: string, port: number): Promise<void> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address: host, port, exclusive: true }, resolve);
  });
  socket.unref();
  setTimeout(() => socket.close(), claimTime).unref();
}

/** Listens at `host:port` and stops again. Throws what the system says if that is not possible. */
export async function listenOnce(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
