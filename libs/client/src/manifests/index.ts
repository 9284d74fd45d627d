/*
 * Manifests, for clients that apply them. In an entry of its own, because servers and controllers do not need it.
 */
export { followCrds, isDefinition, listCrds, referenceOf, waitUntilServed } from './definitions.ts';
export { manifestFiles } from './files.ts';
