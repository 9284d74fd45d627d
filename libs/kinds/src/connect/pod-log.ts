import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  answerWithText,
  parseQuery,
  type Connecter,
  type RegistryStore,
  type RequestContext,
} from '@apichain/apiserver';
import { encodeQuery } from '@apichain/meta';
import { at, text } from '../fields.ts';
import { podLogOptions } from '../pods/log-options.ts';
import { containerOf, type ConnectParts } from './checks.ts';
import { nodeNamed } from './locations.ts';
import type { ConnectDefinition } from './storages.ts';

/** pods/log: what a container has written, from its kubelet; nothing for a pod that runs nowhere yet. */
export class PodLog implements Connecter {
  readonly path: string;
  readonly info;
  readonly type;
  readonly connectMethods: readonly string[];
  readonly readsOnly = true;
  readonly #store: RegistryStore;
  readonly #parts: ConnectParts;

  constructor({ path, info, type, connectMethods }: ConnectDefinition, store: RegistryStore, parts: ConnectParts) {
    this.path = path;
    this.info = info;
    this.type = type;
    this.connectMethods = connectMethods;
    this.#store = store;
    this.#parts = parts;
  }

  async connect(
    ctx: RequestContext,
    name: string,
    _subpath: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const options = podLogOptions(name, parseQuery(request.url));
    const pod = (await this.#store.get(ctx, name, { resourceVersion: '' })).parse();
    const container = containerOf(pod, options.container);
    const node = text(at(pod.spec, 'nodeName'));
    if (node === '') {
      response.writeHead(204).end();
      return;
    }
    const { kubelets, nodes } = this.#parts;
    const address = kubelets.addressOf(await nodeNamed(nodes(), ctx, node));
    const path = `/containerLogs/${pod.metadata.namespace ?? ''}/${name}/${container}`;
    const backend = kubelets.backend(address, `${path}?${encodeQuery(options.forKubelet)}`, options.unchecked);
    await answerWithText(request, response, backend, { resource: { group: '', resource: 'pods/log' }, name });
  }
}
