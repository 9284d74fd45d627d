export { field, type FieldError } from '@apichain/meta';
