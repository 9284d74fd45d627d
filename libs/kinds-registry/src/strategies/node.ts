import type { KubeObject } from '@apichain/meta';
import { ensureRecord, isSet, record, text, texts } from '@apichain/kinds';
import type { KindBehaviour } from './behaviour.ts';
import type { GatedFields } from './gated-fields.ts';
import { cidrWarnings } from './ip-warnings.ts';

function dropConfigSource(node: KubeObject, old: KubeObject | undefined): void {
  if (!isSet(record(old?.spec).configSource)) delete record(node.spec).configSource;
}

function warnings(node: KubeObject): string[] {
  const spec = record(node.spec);
  return [
    ...(isSet(spec.configSource) ? ['spec.configSource: the feature is removed'] : []),
    ...(text(spec.externalID) === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...texts(spec.podCIDRs).flatMap((cidr, i) => cidrWarnings(`spec.podCIDRs[${i}]`, cidr)),
  ];
}

const declaredFeatures: readonly GatedFields[] = [{ gate: 'NodeDeclaredFeatures', paths: ['status.declaredFeatures'] }];

export const nodeBehaviour: KindBehaviour = {
  name: 'subdomain',
  status: 'keep',
  resetFields: ['status'],
  gated: declaredFeatures,
  prepareForCreate: (node) => {
    dropConfigSource(node, undefined);
    delete record(node.status).config;
  },
  prepareForUpdate: (node, old) => {
    node.status = old.status;
    dropConfigSource(node, old);
  },
  warnings,
  subresources: {
    status: {
      fromOld: ['spec'],
      metadata: 'request',
      resetFields: ['spec'],
      gated: declaredFeatures,
      prepareForUpdate: (node, old) => {
        if (!isSet(record(old.status).config)) delete ensureRecord(node, 'status').config;
      },
    },
  },
};
