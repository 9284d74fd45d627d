import { isDNS1123Label, type KubeObject } from '@apichain/meta';

/** Warns when a name that becomes the hostname of pods is not a DNS label. `why` is the text before `; a DNS label is recommended`. */
export function dnsLabelNameWarnings(object: KubeObject, why: string): string[] {
  const messages = isDNS1123Label(object.metadata.name ?? '');
  if (messages.length === 0) return [];
  return [`metadata.name: ${why}; a DNS label is recommended: [${messages.join(' ')}]`];
}

export const podNamesWarning = (object: KubeObject): string[] =>
  dnsLabelNameWarnings(object, 'this is used in Pod names and hostnames, which can result in surprising behavior');
