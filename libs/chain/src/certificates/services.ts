/** The services of the chain; the first one receives the clients' requests. */
export const services = ['aggregator', 'kube-core', 'apiextensions'] as const;

/** The name of a service of the chain, as used in its certificate files. */
export type ServiceName = (typeof services)[number];
