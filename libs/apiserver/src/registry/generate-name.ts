import { randomBelow } from '@apichain/meta';

/** The maximum length of the base: with the suffix, the name is still a DNS label. */
const maxBaseLength = 58;
const suffixLength = 5;
/** Without vowels, so that no words appear, and without characters that look alike. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Generates a name from a generateName base. Source: k8s.io/apiserver/pkg/storage/names. */
export function generateName(base: string): string {
  let name = base.slice(0, maxBaseLength);
  for (let i = 0; i < suffixLength; i++) name += alphabet.charAt(randomBelow(alphabet.length));
  return name;
}

/** Whether a name looks like one that was generated from the base. */
export const isGeneratedName = (name: string, base: string): boolean => {
  const kept = base.slice(0, maxBaseLength);
  return name.startsWith(kept) && name.length === kept.length + suffixLength;
};
