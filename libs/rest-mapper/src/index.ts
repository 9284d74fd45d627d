export { DeferredRestMapper } from './deferred-rest-mapper.ts';
export { mappingsOfGroupDiscovery, mappingsOfResourceList, type DiscoveredMapping } from './discovered.ts';
export { isNoMatchError } from './match-error.ts';
export { RestMapper, type RestMapping } from './rest-mapper.ts';
