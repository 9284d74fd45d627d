export { semanticEqual } from '@apichain/meta';
