/** How much an event contains. Each level includes what the previous one contains. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** The point in the request lifecycle at which an event is created. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** The levels of audit.k8s.io/v1, from the least to the most detailed. */
export const auditLevels: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];

/** The stages of audit.k8s.io/v1. */
export const auditStages: readonly AuditStage[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];
