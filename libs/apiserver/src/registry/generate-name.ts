import { randomInt } from 'node:crypto';

/** Longest base that is used: the name stays a DNS label with the suffix. */
const maxBaseLength = 58;
const suffixLength = 5;
/** No vowels and nothing that looks like another character, so that no words come out. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A name from a generateName base. Source: k8s.io/apiserver/pkg/storage/names. */
export function generateName(base: string): string {
  let name = base.slice(0, maxBaseLength);
  for (let i = 0; i < suffixLength; i++) name += alphabet.charAt(randomInt(alphabet.length));
  return name;
}

/** Whether a name looks like one that was generated from the base. */
export const isGeneratedName = (name: string, base: string): boolean => {
  const kept = base.slice(0, maxBaseLength);
  return name.startsWith(kept) && name.length === kept.length + suffixLength;
};
