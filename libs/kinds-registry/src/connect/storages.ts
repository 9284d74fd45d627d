import type { ResourceStorage } from '@apichain/apiserver';
import type { GroupVersionKind } from '@apichain/meta';
import { requireType } from '@apichain/kinds';
import type { BuiltinResource } from '@apichain/kinds';
import type { HookContext, StoredVersion } from '../strategies/server-hooks.ts';
import type { ConnectParts } from './checks.ts';
import type { ConnectDefinition } from './connect-storage.ts';
import { ObjectProxy } from './object-proxy.ts';
import { PodLog } from './pod-log.ts';
import { PodStream } from './pod-stream.ts';

function definitionOf(
  { info }: BuiltinResource,
  name: string,
  kind: GroupVersionKind,
  methods: readonly string[],
): ConnectDefinition {
  return {
    path: `${info.plural}/${name}`,
    info: { ...info, kind, listKind: '' },
    type: requireType(kind),
    connectMethods: methods,
  };
}

/** The subresources that connect clients to servers outside of the API: exec, attach, portforward, proxy, log. */
export function connections({ resource }: StoredVersion, { options, kubelets, store }: HookContext): ResourceStorage[] {
  const parts: ConnectParts = {
    authorizer: options.authorizer,
    kubelets,
    nodes: () => store('nodes'),
    services: () => store('services'),
    endpoints: () => store('endpoints'),
    pods: () => store('pods'),
  };
  const { group, version } = resource;
  return resource.subresources.flatMap(({ name, kind, methods, connect }): ResourceStorage[] => {
    if (connect === true) {
      const definition = definitionOf(resource, name, { group, version, kind }, methods ?? ['GET']);
      const Storage = name === 'proxy' ? ObjectProxy : PodStream;
      return [new Storage(definition, parts)];
    }
    if (resource.info.plural !== 'pods' || name !== 'log') return [];
    return [new PodLog(definitionOf(resource, name, { group: '', version: 'v1', kind: 'Pod' }, ['GET']), parts)];
  });
}
