export { DeferredRestMapper } from './deferred-rest-mapper.ts';
export { mappingsOfResourceList } from './discovered.ts';
export { isNoMatchError } from './match-error.ts';
export { RestMapper, type RestMapping } from './rest-mapper.ts';
