/**
 * The annotation of an APIService with the address of its server, `HOST` or `HOST:PORT`, on a chain without Service objects. The aggregator
 * reads it, and registrations write it.
 */
export const addressAnnotation = 'apichain/address';
