import { builtinTypes } from '@apichain/kinds/model';
import { objectMetaRules } from '@apichain/schema';

/** ObjectMeta of the built-in type table. */
export const objectMetaType = builtinTypes.type('meta.v1.ObjectMeta');

/** The rules of ObjectMeta, from the built-in type table. */
export const metadataRules = objectMetaRules(objectMetaType);
