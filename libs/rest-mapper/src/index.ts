export { isNoMatchError } from './match-error.ts';
export { RestMapper, type RestMapping } from './rest-mapper.ts';
