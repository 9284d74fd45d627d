/** The services of the chain, entry first. */
export const services = ['aggregator', 'kube-core', 'apiextensions'] as const;

/** A service of the chain, as its certificate files are named. */
export type ServiceName = (typeof services)[number];
