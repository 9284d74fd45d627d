import { readStored } from '@apichain/storage';
import type { Pod } from '@apichain/api/core/v1';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { streamToBackend } from '@apichain/delegation';
import type { Query, RequestContext } from '@apichain/request';
import { encodeQuery } from '@apichain/go-text';
import { newBadRequest } from '@apichain/meta';
import { checkForwardedPorts } from '../pods/forwarded-ports.ts';
import { checkStreamAuthority } from '../pods/stream-authority.ts';
import { containerOf } from './checks.ts';
import { nodeNamed } from './locations.ts';
import { ConnectStorage } from './connect-storage.ts';

/** The names of the exec and attach flags in requests to kubelets. */
const streams = [
  ['stdin', 'input'],
  ['stdout', 'output'],
  ['stderr', 'error'],
  ['tty', 'tty'],
] as const;

/**
 * pods/exec, pods/attach and pods/portforward: connects the client to the kubelet of the pod's node with the protocol that the client requests.
 * A kubelet that does not support the protocol refuses, and the client retries with another one.
 * After k8s.io/kubernetes/pkg/registry/core/pod/rest and streamLocation next to that package.
 */
export class PodStream extends ConnectStorage {
  async connect(
    ctx: RequestContext,
    name: string,
    _subpath: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { query } = ctx;
    const [, action = ''] = this.path.split('/');
    const forwards = action === 'portforward';
    const ports = query.all('ports') ?? [];
    if (forwards) checkForwardedPorts(ports);
    const { authorizer, kubelets, nodes } = this.parts;
    await checkStreamAuthority(authorizer, ctx);
    const pod = await readStored(await this.parts.pods().get(ctx, name, { resourceVersion: '' }));
    const container = forwards ? undefined : containerOf(pod, query.text('container'));
    const address = kubelets.addressOf(await nodeNamed(nodes(), ctx, nodeOf(pod)));
    const { namespace = '' } = pod.metadata;
    const path =
      container === undefined
        ? `/portForward/${namespace}/${name}?${encodeQuery(ports.length === 0 ? [] : [['port', ports.join(',')]])}`
        : `/${action}/${namespace}/${name}/${container}?${encodeQuery(streamParameters(query, action))}`;
    streamToBackend(request, response, kubelets.backend(address, path.replace(/\?$/, '')));
  }
}

function nodeOf(pod: Pod): string {
  const node = pod.spec?.nodeName ?? '';
  if (node !== '') return node;
  throw newBadRequest(`pod ${pod.metadata.name ?? ''} does not have a host assigned`);
}

function streamParameters(query: Query, action: string): (readonly [string, string])[] {
  const asked = streams.filter(([name]) => query.boolean(name) === true).map(([, called]) => [called, '1'] as const);
  const command = action === 'exec' ? (query.all('command') ?? []) : [];
  return [...asked, ...command.map((word) => ['command', word] as const)];
}
