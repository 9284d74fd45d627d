import { isSet } from '@apichain/meta';
import type { Node } from '@apichain/api/core/v1';
import { connections } from '../connect/storages.ts';
import type { KindBehaviour } from './behaviour.ts';
import type { GatedFields } from './gated-fields.ts';
import { cidrWarnings } from './ip-warnings.ts';

function dropConfigSource(node: Node, old: Node | undefined): void {
  if (!isSet(old?.spec?.configSource)) delete node.spec?.configSource;
}

function warnings(node: Node): string[] {
  const spec = node.spec ?? {};
  return [
    ...(isSet(spec.configSource) ? ['spec.configSource: the feature is removed'] : []),
    ...((spec.externalID ?? '') === ''
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...(spec.podCIDRs ?? []).flatMap((cidr, i) => cidrWarnings(`spec.podCIDRs[${i}]`, cidr)),
  ];
}

const declaredFeatures: readonly GatedFields[] = [{ gate: 'NodeDeclaredFeatures', paths: ['status.declaredFeatures'] }];

export const nodeBehaviour: KindBehaviour<Node> = {
  name: 'subdomain',
  status: 'keep',
  resetFields: ['status'],
  gated: declaredFeatures,
  prepareForCreate: (node) => {
    dropConfigSource(node, undefined);
    delete node.status?.config;
  },
  prepareForUpdate: (node, old) => {
    node.status = old.status;
    dropConfigSource(node, old);
  },
  warnings,
  server: { storages: connections },
  subresources: {
    status: {
      fromOld: ['spec'],
      metadata: 'request',
      resetFields: ['spec'],
      gated: declaredFeatures,
      prepareForUpdate: (node, old) => {
        if (!isSet(old.status?.config)) delete (node.status ??= {}).config;
      },
    },
  },
};
