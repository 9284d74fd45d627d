import type { TypesByName } from '@apichain/api/types-by-name';
import type { ComputedRule } from '@apichain/scheme';

/**
 * Rules by the name of the type they belong to, as the table of types spells it. The type of what a rule changes follows from the key: a
 * misspelled field, or a rule under the wrong type, does not compile.
 */
export type ComputedRules = {
  readonly [Name in keyof TypesByName]?: readonly ComputedRule<TypesByName[Name] & object>[];
};
