/** The services of the chain, entry first. */
export const services = ['aggregator', 'kube-core', 'apiextensions'] as const;

export type ServiceName = (typeof services)[number];
