import type { TypesByName } from '@apichain/api/types-by-name';
import type { ComputedRule } from '@apichain/scheme';

/**
 * Rules by the name of their type, as in the table of types. The key determines the type of the rule's argument, so a misspelled field, or a
 * rule under the wrong type, does not compile.
 */
export type ComputedRules = {
  readonly [Name in keyof TypesByName]?: readonly ComputedRule<TypesByName[Name] & object>[];
};
