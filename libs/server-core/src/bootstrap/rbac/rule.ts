import type { PolicyRule } from '@apichain/authz';

/** Verbs that read; that write; both. */
export const read = 'get list watch';
export const write = 'create delete deletecollection patch update';
export const readWrite = `${read} ${write}`;

const sorted = (words: string): string[] => [...new Set(words.split(' '))].filter((word) => word !== '').sort();
/** API groups, where `core` stands for the empty one. */
const groups = (words: string): string[] =>
  sorted(words)
    .map((word) => (word === 'core' ? '' : word))
    .sort();

/** Grants verbs on resources; all are words separated by spaces. `names` limits it to objects of those names. */
export const rule = (verbs: string, apiGroups: string, resources: string, names = ''): PolicyRule => ({
  verbs: sorted(verbs),
  apiGroups: groups(apiGroups),
  resources: sorted(resources),
  ...(names === '' ? {} : { resourceNames: sorted(names) }),
});

/** Grants GET (or other verbs) on paths outside of resources. */
export const paths = (urls: string, verbs = 'get'): PolicyRule => ({
  verbs: sorted(verbs),
  nonResourceURLs: sorted(urls),
});

/** Everybody who acts on objects also tells about it. */
export const events: PolicyRule = rule('create patch update', 'core events.k8s.io', 'events');
