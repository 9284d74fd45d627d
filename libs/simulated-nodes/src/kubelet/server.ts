import type { Pod } from '@apichain/api/core/v1';
import { currentTime, errorMessage } from '@apichain/meta';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Nodes } from '../nodes/nodes.ts';
import type { ContainerView } from '../pods/containers.ts';
import { type RunningTlsServer, serveTls, type TlsServing } from '../tls-server.ts';
import { FollowedPods } from './followed-pods.ts';
import { type LogSource, writeLog } from './log-stream.ts';
import { containerNamed, logOptions } from './logs.ts';
import { forwardPorts } from './port-forward.ts';
import { attach, type CommandStreams, execute } from './remote-command.ts';
import { commandProtocolOf, spdyStreams } from './spdy-command.ts';
import {
  channelStreams,
  offeredProtocols,
  supportsCommands,
  tunnelProtocol,
  tunnelStream,
  upgrade,
} from './web-socket.ts';

/** Serves the logs and streams of all simulated nodes: one address and port for all nodes, a path names a pod, and the pod has a node. Rejects when it cannot listen. */
export function serveKubelets(serving: TlsServing, nodes: Nodes, signal: AbortSignal): Promise<RunningTlsServer> {
  const kubelets = new KubeletHandlers(nodes);
  const serve = (request: IncomingMessage, response: ServerResponse) => kubelets.serve(request, response);
  const stream = (request: IncomingMessage, socket: Duplex, head: Buffer) => kubelets.stream(request, socket, head);
  return serveTls(serving, { serve, stream }, signal);
}

/** What a request to a kubelet is about. */
interface Target {
  readonly pod: Pod;
  readonly container: ContainerView | undefined;
  readonly containerName: string;
  readonly query: URLSearchParams;
}

class KubeletHandlers {
  readonly #nodes: Nodes;
  readonly #source: LogSource;

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
    this.#source = { nodes, followed: new FollowedPods(nodes) };
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const [action, ...path] = segmentsOf(request);
    if (action === 'healthz') return void response.end('ok');
    if (action !== 'containerLogs') return void response.writeHead(404).end('404 page not found\n');
    const target = this.#target(path, request);
    if (target === undefined) return void response.writeHead(404).end(`pod ${JSON.stringify(path[1])} not found\n`);
    if (target === 'down') return void request.socket.destroy();
    void this.#log(target, response);
  }

  async #log({ pod, containerName, query }: Target, response: ServerResponse): Promise<void> {
    const options = logOptions(query, currentTime());
    response.setHeader('Content-Type', 'text/plain');
    if (options.follow) response.flushHeaders();
    try {
      await writeLog(this.#source, pod, containerName, options, response);
      response.end();
    } catch (error) {
      if (!response.headersSent) response.writeHead(400);
      response.end(`${errorMessage(error)}\n`);
    }
  }

  async stream(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const [action = '', ...path] = segmentsOf(request);
    if (!['exec', 'attach', 'portForward'].includes(action)) return refuse(socket, 404, '404 page not found');
    const target = this.#target(path, request);
    if (target === 'down') return void socket.destroy();
    if (target === undefined) return refuse(socket, 404, 'pod does not exist');
    if (action === 'portForward') return forward(target, request, socket, head);
    if (target.container?.status.state?.running === undefined)
      return refuse(socket, 500, `container not found (${JSON.stringify(target.containerName)})`);
    return this.#command(action, { ...target, container: target.container }, request, socket, head);
  }

  async #command(
    action: string,
    { pod, container, query }: Target & { readonly container: ContainerView },
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    const asked = (name: string) => ['1', 'true'].includes(query.get(name) ?? '');
    const tty = asked('tty');
    const wanted = { stdin: asked('input'), stdout: asked('output'), stderr: asked('error') && !tty, tty };
    const run = (streams: CommandStreams) =>
      action === 'exec'
        ? execute(query.getAll('command'), { container, pod, streams, tty })
        : attach(this.#source, { container, pod, streams, tty }, (exitCode) =>
            this.#nodes.exited(pod, container.status.containerID ?? '', exitCode),
          );
    const offered = offeredProtocols(request);
    if (supportsCommands(offered)) return run(channelStreams(await upgrade(request, socket, head), wanted));
    const protocol = commandProtocolOf(offeredStreamProtocols(request));
    if (!isSpdy(request) || protocol === undefined)
      return refuse(socket, 403, 'unable to upgrade: unsupported protocol');
    acceptSpdy(socket, head, protocol);
    const { streams, ended } = spdyStreams(socket, wanted, protocol);
    await Promise.race([streams.then(run), ended]);
  }

  /** `down` for a pod whose kubelet does not respond. */
  #target(
    [namespace = '', podName = '', containerName = '']: readonly string[],
    request: IncomingMessage,
  ): Target | 'down' | undefined {
    const pod = this.#nodes.pod(`${namespace}/${podName}`);
    const kubelet = this.#nodes.get(pod?.spec?.nodeName ?? '');
    if (pod === undefined || kubelet === undefined) return undefined;
    if (kubelet.isDown) return 'down';
    const container = containerNamed(pod, containerName);
    return { pod, container, containerName, query: urlOf(request).searchParams };
  }
}

async function forward({ pod }: Target, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  if (offeredProtocols(request).includes(tunnelProtocol))
    return forwardPorts(pod, tunnelStream(await upgrade(request, socket, head)));
  const protocol = offeredStreamProtocols(request).find((offered) => offered === 'portforward.k8s.io');
  if (!isSpdy(request) || protocol === undefined) return refuse(socket, 403, 'unable to upgrade: unsupported protocol');
  acceptSpdy(socket, head, protocol);
  return forwardPorts(pod, socket);
}

const urlOf = ({ url = '/' }: IncomingMessage): URL => new URL(url, 'https://kubelet');

const segmentsOf = (request: IncomingMessage): string[] =>
  urlOf(request).pathname.split('/').slice(1).map(decodeURIComponent);

const isSpdy = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toUpperCase() === 'SPDY/3.1';

const offeredStreamProtocols = ({ headers }: IncomingMessage): string[] =>
  [headers['x-stream-protocol-version'] ?? []].flat().flatMap((line) => line.split(',').map((name) => name.trim()));

function acceptSpdy(socket: Duplex, head: Buffer, protocol: string): void {
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Connection: Upgrade',
    'Upgrade: SPDY/3.1',
    `X-Stream-Protocol-Version: ${protocol}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
}

function refuse(socket: Duplex, code: number, message: string): void {
  const lines = [
    `HTTP/1.1 ${code} Refused`,
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(message)}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${message}`);
}
