const noun = (kind: string): string => {
  if (kind.endsWith('s') && !kind.endsWith('ss')) return kind;
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`;
};
const specified = (kind: string): string => `the specified ${kind}`;
const objects = (kind: string): string => `objects of kind ${kind}`;

const phrases: Readonly<Record<string, readonly [words: string, object: (kind: string) => string]>> = {
  list: ['list or watch', objects],
  create: ['create', noun],
  deletecollection: ['delete collection of', (kind) => kind],
  get: ['read', specified],
  update: ['replace', specified],
  delete: ['delete', noun],
  patch: ['partially update', specified],
};
const customPhrases: typeof phrases = { ...phrases, list: ['list', objects] };

/** The description of an operation, with the words of kube-apiserver: `read status of the specified Pod`. */
export function operationDescription(verb: string, kind: string, subresource: string, isCustom: boolean): string {
  const [words, object] = (isCustom ? customPhrases : phrases)[verb] ?? [verb, specified];
  return `${words} ${subresource === '' ? '' : `${subresource} of `}${object(kind)}`;
}
