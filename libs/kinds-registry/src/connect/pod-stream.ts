import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pod } from '@apichain/api/core/v1';
import type { Authorizer } from '@apichain/authz';
import { streamToBackend } from '@apichain/delegation';
import { encodeQuery } from '@apichain/go-text';
import { newBadRequest, newForbidden } from '@apichain/meta';
import type { Query, RequestContext } from '@apichain/request';
import { readStored } from '@apichain/storage';
import { containerOf } from './checks.ts';
import { ConnectStorage } from './connect-storage.ts';
import { nodeNamed } from './locations.ts';

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

/**
 * A stream into a pod needs the verb `create`, also when it starts with the GET of a WebSocket. Otherwise users with only `get` on pods/exec could
 * run commands. Throws Forbidden with the reason of the authorizer.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/ (gate AuthorizePodWebsocketUpgradeCreatePermission)
 */
export async function checkStreamAuthority(authorizer: Authorizer, ctx: RequestContext): Promise<void> {
  const { requestInfo, user } = ctx;
  if (requestInfo.verb === 'create') return;
  const { decision, reason } = await authorizer.authorize({ ...requestInfo, user, verb: 'create' });
  if (decision === 'Allow') return;
  throw newForbidden({ group: requestInfo.apiGroup, resource: requestInfo.resource }, requestInfo.name, reason);
}

const highestPort = 65535;

/**
 * Checks the ports in the parameters of `pods/portforward`: each is a number, or several separated by commas. Throws BadRequest with the text of
 * Go's strconv. https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */
export function checkForwardedPorts(parameters: readonly string[]): void {
  for (const port of parameters.flatMap((parameter) => parameter.split(','))) {
    const digits = /^\d+$/.test(port);
    if (digits && Number(port) <= highestPort) continue;
    const problem = digits ? 'value out of range' : 'invalid syntax';
    throw newBadRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(port)}: ${problem}`);
  }
}
