export { DeferredRestMapper } from './deferred-rest-mapper.ts';
export { mappingsOfGroupDiscovery, mappingsOfResourceList, type DiscoveredMapping } from './discovered.ts';
export { NoKindMatchError, RestMapper, type RestMapping } from './rest-mapper.ts';
