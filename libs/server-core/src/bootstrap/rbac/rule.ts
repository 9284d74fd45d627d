import type { PolicyRule } from '@apichain/authz';

/** Verbs for reading, for writing, and for both. */
export const read = 'get list watch';
export const write = 'create delete deletecollection patch update';
export const readWrite = `${read} ${write}`;

const sorted = (words: string): string[] => [...new Set(words.split(' '))].filter((word) => word !== '').sort();
/** Splits API groups; `core` means the empty group. */
const groups = (words: string): string[] =>
  sorted(words)
    .map((word) => (word === 'core' ? '' : word))
    .sort();

/** Grants verbs on resources. All arguments are words separated by spaces. `names` restricts the rule to objects of those names. */
export const rule = (verbs: string, apiGroups: string, resources: string, names = ''): PolicyRule => ({
  verbs: sorted(verbs),
  apiGroups: groups(apiGroups),
  resources: sorted(resources),
  ...(names === '' ? {} : { resourceNames: sorted(names) }),
});

/** Grants GET (or other verbs) on non-resource paths. */
export const paths = (urls: string, verbs = 'get'): PolicyRule => ({
  verbs: sorted(verbs),
  nonResourceURLs: sorted(urls),
});

/** The permission to write events, for every component that acts on objects. */
export const events: PolicyRule = rule('create patch update', 'core events.k8s.io', 'events');
