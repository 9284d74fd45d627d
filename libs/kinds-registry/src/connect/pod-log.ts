import { readStored } from '@apichain/storage';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { respondWithText } from '@apichain/delegation';
import type { RequestContext } from '@apichain/request';
import { encodeQuery } from '@apichain/go-text';
import { podLogOptions } from '../pods/log-options.ts';
import { containerOf } from './checks.ts';
import { nodeNamed } from './locations.ts';
import { ConnectStorage } from './connect-storage.ts';

/** pods/log: the log of a container, read from its kubelet; empty for a pod that is not scheduled yet. */
export class PodLog extends ConnectStorage {
  readonly readsOnly = true;

  async connect(
    ctx: RequestContext,
    name: string,
    _subpath: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const options = podLogOptions(name, ctx.query);
    const pod = await readStored(await this.parts.pods().get(ctx, name, { resourceVersion: '' }));
    const container = containerOf(pod, options.container);
    const node = pod.spec?.nodeName ?? '';
    if (node === '') {
      response.writeHead(204).end();
      return;
    }
    const { kubelets, nodes } = this.parts;
    const address = kubelets.addressOf(await nodeNamed(nodes(), ctx, node));
    const path = `/containerLogs/${pod.metadata.namespace ?? ''}/${name}/${container}`;
    const backend = kubelets.backend(address, `${path}?${encodeQuery(options.forKubelet)}`, options.unchecked);
    await respondWithText(request, response, backend, { resource: { group: '', resource: 'pods/log' }, name });
  }
}
